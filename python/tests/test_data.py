"""Data as people have them: every sort of column works, or stops with a sentence."""

import datetime
import decimal
import uuid

import numpy as np
import pytest
from conftest import QUICK
from test_fit import rows

import partita
from partita import _data

DAYS = [datetime.date(2024, 1, 1 + at) for at in range(6)]


def one(data, **options):
    """The only column that is taken from data, with missing values as None and categories by their levels."""
    ((_, values, *levels),) = _data.table(data, None, options).native[1]
    if levels:
        return [levels[0][code] if code >= 0 else None for code in values.tolist()], levels[0]
    values = values.tolist() if isinstance(values, np.ndarray) else values
    return [None if value != value else value for value in values], None


def numbers(*values):
    return list(values), None


def test_arrays_of_numpy():
    for made in (
        np.array([1, 2, 3], dtype="i1"),
        np.array([1, 2, 3], dtype=">f8"),
        np.array([1, 9, 2, 9, 3], dtype="f4")[::2],
        np.array([3.0, 2.0, 1.0], dtype=np.longdouble)[::-1],
        np.array([[1], [2], [3]], dtype=object),
        np.array([(1.0,), (2.0,), (3.0,)], dtype=[("x", "f8")]),
        [decimal.Decimal(1), 2, 3.0],
    ):
        assert one(made) == numbers(1.0, 2.0, 3.0)
    assert one(np.ma.masked_greater([1.0, 7.0, 3.0], 5)) == numbers(1.0, None, 3.0)
    assert one(np.ma.masked_equal([1, 0, 3], 0)) == numbers(1.0, None, 3.0)
    assert one(np.array([True, False])) == (["True", "False"], ["False", "True"])
    assert one({"f": np.array([True, np.nan, False], dtype=object)}) == (["True", None, "False"], ["False", "True"])
    assert one(np.array([b"tit", b"owl"])) == (["tit", "owl"], None)
    assert one(np.array(DAYS, dtype="M8[s]")[:2]) == (["2024-01-01", "2024-01-02"], None)
    assert one(np.array([3600, "NaT"], dtype="m8[s]")) == numbers(3600.0, None)
    # Beyond 2^53 as near as doubles are.
    assert one([[2**53 + 1], [2**70]]) == numbers(float(2**53), float(2**70))
    # Numbers beside texts stay numbers, and texts stay texts.
    title, made, _ = _data.columns([[1.5, "x", "7"], [2.5, "y", "8"]])
    assert title == "array" and made[0][1].tolist() == [1.5, 2.5]
    assert [column[1] for column in made[1:]] == [["x", "y"], ["7", "8"]]
    structured = np.array([(1.0, "x"), (2.0, "y")], dtype=[("mass", "f8"), ("sex", "U1")])
    assert [column[0] for column in _data.columns(structured)[1]] == ["mass", "sex"]


def test_columns_of_pandas():
    pd = pytest.importorskip("pandas")

    def of(values, **options):
        return one(pd.DataFrame({"a": values}), **options)

    words = ["x", "y", None]
    assert of(pd.array([1, None, 3], dtype="Int64")) == numbers(1.0, None, 3.0)
    assert of(pd.array([1.5, pd.NA, 3], dtype=object)) == numbers(1.5, None, 3.0)
    assert of([decimal.Decimal("1.5"), None]) == numbers(1.5, None)
    assert of([None, None]) == of([np.nan, pd.NaT]) == numbers(None, None)
    assert of(pd.array([True, None], dtype="boolean")) == (["True", None], ["False", "True"])
    for dtype in ("object", "string", "str"):
        assert of(pd.Series(words, dtype=dtype)) == (words, None)
    # Texts are words, whatever they look like and whichever pandas it is.
    assert of(pd.Series(["10115", "80331"], dtype=object)) == (["10115", "80331"], None)
    assert of([1, "x", None, 2.5, True]) == (["1", "x", None, "2.5", "True"], None)
    assert of(pd.Categorical(words, ["x", "y", "z"])) == (words, ["x", "y", "z"])
    assert of(pd.Categorical([1, 2, None])) == (["1", "2", None], ["1", "2"])
    assert of(pd.arrays.SparseArray([0.0, 1.0, np.nan])) == numbers(0.0, 1.0, None)
    assert of(pd.arrays.SparseArray([0, 1, 2])) == numbers(0.0, 1.0, 2.0)
    assert of(pd.arrays.SparseArray([True, False])) == (["True", "False"], ["False", "True"])
    assert of(pd.to_timedelta([1, None], unit="h")) == numbers(3600.0, None)
    days = ["2024-01-01", "2024-01-02"]
    assert of(pd.to_datetime(days)) == of(pd.PeriodIndex(days, freq="D")) == (days, None)
    assert of(DAYS[:2]) == (days, None)
    zoned = pd.to_datetime(days).tz_localize("Europe/Berlin")
    assert of(zoned)[0][0] == "2024-01-01 00:00:00+01:00"
    assert of([uuid.UUID(int=7)])[0] == ["00000000-0000-0000-0000-000000000007"]


def test_columns_of_polars():
    pl = pytest.importorskip("polars")

    def of(values, dtype=None):
        return one(pl.DataFrame({"a": pl.Series(values, dtype=dtype)}))

    words = ["y", "x", None]
    assert of(words, pl.Categorical) == (words, ["y", "x"])
    assert of(words, pl.Enum(["x", "y", "z"])) == (words, ["x", "y", "z"])
    assert of(words) == (words, None) == of([b"y", b"x", None])
    assert of([None, None]) == numbers(None, None)
    assert of([1, None, 3], pl.UInt8) == of([1, None, 3], pl.Int128) == numbers(1.0, None, 3.0)
    assert of([decimal.Decimal("1.5"), None]) == numbers(1.5, None)
    assert of([True, None]) == (["True", None], ["False", "True"])
    assert of(DAYS[:1]) == (["2024-01-01"], None)
    assert of([datetime.timedelta(hours=1), None]) == numbers(3600.0, None)
    two = pl.DataFrame({"a": [1.0]})
    assert one(pl.concat([two, two], rechunk=False)) == numbers(1.0, 1.0)


def test_columns_of_arrow():
    pa = pytest.importorskip("pyarrow")

    def of(values):
        return one(pa.table({"a": values}))

    words = ["x", "y", None]
    for made in (
        pa.array(words).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 2, 1]), pa.array(["x", None, "y"])),
        pa.chunked_array([pa.array(["x"]).dictionary_encode(), pa.array(["y", None]).dictionary_encode()]),
    ):
        assert of(made) == (words, ["x", "y"])
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary()):
        assert of(pa.array(words, kind)) == (words, None)
    assert of(pa.RunEndEncodedArray.from_arrays([1, 3], ["x", "y"])) == (["x", "y", "y"], None)
    assert of(pa.chunked_array([[1, None], [3]])) == numbers(1.0, None, 3.0)
    assert of(pa.chunked_array([[True, None], [False]])) == (["True", None, "False"], ["False", "True"])
    assert of(pa.array([decimal.Decimal("1.5"), None])) == numbers(1.5, None)
    assert of(pa.array([2**53 + 1, None])) == numbers(float(2**53), None)
    assert of(pa.nulls(2)) == numbers(None, None)
    assert of(pa.array(DAYS[:1])) == (["2024-01-01"], None)
    assert of(pa.array([60, None], pa.duration("s"))) == numbers(60.0, None)
    assert one(pa.chunked_array([[1.0], [2.0]])) == one(pa.array([1.0, 2.0])) == numbers(1.0, 2.0)


def test_a_mapping_keeps_the_types_of_its_columns():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    levels = ["x", "y", "z"]
    for values in (
        pd.Categorical(["x", None], levels),
        pd.Series(pd.Categorical(["x", None], levels)),
        pl.Series(["x", None], dtype=pl.Enum(levels)),
        pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array(levels)),
    ):
        assert one({"a": values}) == (["x", None], levels)


@pytest.mark.filterwarnings("ignore:The Dataframe Interchange Protocol")
def test_the_interchange_protocol(points):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")

    class Other:
        def __init__(self, frame):
            self.frame = frame

        def __dataframe__(self, **how):
            return self.frame.__dataframe__(**how)

    frame = pd.DataFrame(points, columns=["x1", "x2"])
    assert rows(partita.fit(Other(frame), **QUICK)) == rows(partita.fit(points, **QUICK))
    assert one(Other(pd.DataFrame({"a": pd.Categorical(["x", None], ["x", "z"])}))) == (["x", None], ["x", "z"])


def test_names_of_columns_are_kept(points):
    pd = pytest.importorskip("pandas")
    years = pd.DataFrame(points, columns=[2001, 2002])
    result = partita.fit(years, drop=2002, **QUICK)
    assert list(result.columns) == ["2001"] and (result.predict(years) == result.labels).all()
    # As pandas counts, where it counts.
    plain = pd.DataFrame(points)
    assert list(partita.fit(plain, drop=1, **QUICK).columns) == ["0"]
    whole = partita.fit(plain, **QUICK)
    assert (whole.predict(points) == whole.labels).all()
    assert (partita.fit(points, **QUICK).predict(plain) == whole.labels).all()
    deep = pd.DataFrame(points, columns=pd.MultiIndex.from_product([["wing"], ["left", "right"]]))
    assert list(partita.fit(deep, **QUICK).columns) == ["('wing', 'left')", "('wing', 'right')"]

    class Geo(pd.DataFrame):
        """As geopandas has them."""

    Geo.__module__ = "geo"
    names = [f"r{at}" for at in range(len(points))]
    assert list(partita.fit(Geo(points, index=names), **QUICK).labels.index) == names


def test_dates_are_left_out_and_may_be_used(points, caplog):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(points, columns=["x1", "x2"])
    dated = frame.assign(day=pd.date_range("2024-01-01", periods=len(points)))
    with caplog.at_level("INFO", "partita"):
        result = partita.fit(dated, **QUICK)
    assert 'left out: "day" (dates or times)' in caplog.text
    assert rows(result) == rows(partita.fit(frame, **QUICK)) == rows(partita.fit(dated, drop="day", **QUICK))
    assert (result.predict(dated) == result.predict(frame)).all()
    two = frame.assign(day=pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-01"] * 15))
    assert partita.fit(two, column_type={"day": "category"}, **QUICK).columns["day"] == "category"
    assert "reference:ari" in partita.fit(two, labels="day", **QUICK).summary.index


def test_what_is_no_column_is_refused_where_it_is_used(points):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(points, columns=["x1", "x2"])
    known = rows(partita.fit(frame, **QUICK))
    for odd, kind in [([[1, 2]], "list"), ([1j], "complex"), ([{"k": 1}], "dict"), ([object()], "object")]:
        more = frame.assign(odd=pd.Series(odd * len(points)))
        with pytest.raises(ValueError, match=rf"column 'odd' holds .*{kind}.*drop='odd'"):
            partita.fit(more, **QUICK)
        result = partita.fit(more, drop="odd", **QUICK)
        assert rows(result) == rows(partita.fit(more, columns=["x1", "x2"], **QUICK)) == known
        assert (result.predict(more) == result.labels).all()


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ([[1.0, 2.0], [3.0]], ValueError, "the rows of a table have the same length"),
        ((row for row in [[1.0], [2.0]]), TypeError, "this is of type generator"),
        ({1.0, 2.0}, TypeError, "of type set"),
        (5, TypeError, "of type int"),
        ({"a": 1, "b": 2}, ValueError, "column 'a' has 0 dimensions"),
        ({"a": [[1, 2], [3, 4]]}, ValueError, "column 'a' has 2 dimensions"),
        ({}, ValueError, "the table has no columns"),
        (np.zeros((3, 0)), ValueError, "the array has no columns"),
        (np.zeros((0, 3)), ValueError, "array has no row of data"),
        ([[1.0, 2.0]], ValueError, "array has one row of data"),
        ([[np.nan], [np.nan]], ValueError, "every value is missing"),
        ([["1.5"], ["2.5"], ["3.5"]], ValueError, "column_type='x1=normal'"),
    ],
)
def test_what_is_no_table_gets_a_sentence(data, error, words):
    with pytest.raises(error) as caught:
        partita.fit(data)
    assert words in str(caught.value)


def test_texts_of_numbers_where_that_is_said(points):
    texts = {name: [repr(x) for x in points[:, at].tolist()] for at, name in enumerate(("x1", "x2"))}
    said = {"column_type": {"x1": "normal", "x2": "normal"}}
    assert rows(partita.fit(texts, **said, **QUICK)) == rows(partita.fit(points, **said, **QUICK))


def test_no_rows_to_predict(result):
    with pytest.raises(ValueError, match="no rows to predict"):
        result.predict(np.zeros((0, 2)))
