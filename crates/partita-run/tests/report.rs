//! The report page holds what the run found, as text that cannot act, and works in a real browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use partita_run::report::render;
use partita_run::results::Page;

#[path = "report/pages.rs"]
mod pages;

fn island(html: &str) -> &str {
    let open = "id=\"page-data\" type=\"application/json\">";
    let from = html.find(open).expect("the page carries its data") + open.len();
    &html[from..from + html[from..].find("</script>").expect("the data end")]
}

#[test]
fn the_data_come_back_equal() {
    for page in [pages::table(), pages::apart(), pages::column(), pages::colouring(), pages::bare()] {
        let back: Page = serde_json::from_str(island(&render(&page))).unwrap();
        assert_eq!(back, page);
    }
}

#[test]
fn names_from_the_data_are_text() {
    let html = render(&pages::table());
    assert!(!html.contains("<script>alert"));
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(!island(&html).contains('<'));
    // The data, the script, nothing else.
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script>").count(), 2);

    let mut page = pages::bare();
    let quote = "\" onmouseover=\"alert(1)\" <!-- & '";
    page.title = quote.into();
    page.question = quote.into();
    page.command = quote.into();
    page.summary.notes = vec![quote.into()];
    page.provenance = vec![(quote.into(), quote.into())];
    page.co_clustering = pages::colouring().co_clustering;
    page.co_clustering.as_mut().unwrap().note = Some(quote.into());
    page.density = pages::column().density;
    page.density.as_mut().unwrap().axis = quote.into();
    let html = render(&page);
    assert!(!html.contains("onmouseover=\"alert"));
    assert!(!html.contains("<!--"));
}

#[test]
fn the_page_asks_for_nothing() {
    for page in [pages::table(), pages::column(), pages::colouring()] {
        let html = render(&page);
        for outside in ["http://", "https://", "src=", "@import", "url(", "<iframe", "<img"] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(html.contains("default-src 'none'"));
    }
}

#[test]
fn the_page_is_light() {
    let page = pages::table();
    let html = render(&page);
    let own = html.len() - island(&html).len();
    println!("page {} bytes without data, {} in all", own, html.len());
    // The cards of five clusters are among it: some 3 kB each.
    assert!(own < 120_000);
}

#[test]
fn sections_without_data_are_left_out() {
    let has = |html: &str, id: &str| html.contains(&format!("<section id=\"{id}\""));
    // In the order of the page: the clusters first, diagnostics last.
    let all = [
        "modes",
        "points",
        "clustering",
        "clusters",
        "co-clustering",
        "ball",
        "known",
        "density",
        "summaries",
        "meeting",
        "estimates",
        "efficiency",
        "models",
        "repeat",
    ];
    let shown = |page: Page| {
        let html = render(&page);
        let places = all.map(|id| html.find(&format!("<section id=\"{id}\"")));
        assert!(places.iter().flatten().is_sorted(), "{places:?}");
        all.into_iter().filter(|id| has(&html, id)).collect::<Vec<_>>()
    };
    assert_eq!(shown(pages::bare()), ["models"]);
    let without = |gone: &[&str]| all.into_iter().filter(|id| !gone.contains(id)).collect::<Vec<_>>();
    assert_eq!(shown(pages::apart()), without(&["density"]));
    assert_eq!(shown(pages::table()), without(&["modes", "density"]));
    assert_eq!(shown(pages::column()), without(&["modes", "points", "known"]));
    assert_eq!(shown(pages::colouring()), without(&["modes", "density", "points", "known"]));
    // Chains that are all in one part stayed nowhere.
    let mut together = pages::apart();
    together.summary.modes.truncate(1);
    assert_eq!(shown(together), without(&["modes", "density"]));
    assert!(!render(&pages::colouring()).contains("class=\"notes\""));
    assert!(render(&pages::table()).contains("class=\"notes\""));
}

#[test]
fn numbers_that_are_not_finite_do_not_break_the_page() {
    let mut page = pages::table();
    page.estimates[0].values[5] = f64::NAN;
    page.summary.summaries[0].mean = f64::INFINITY;
    page.summary.summaries[0].ci95 = None;
    page.summary.summaries[0].se = None;
    page.co_clustering.as_mut().unwrap().matrix[7] = f64::NAN;
    let html = render(&page);
    serde_json::from_str::<serde_json::Value>(island(&html)).unwrap();
    assert!(html.contains("unknown"));
}

#[test]
fn exact_values_stand_beside_rounded_ones() {
    let page = pages::table();
    let html = render(&page);
    for line in &page.summary.summaries[..5] {
        for (field, value) in
            [("mean", line.mean), ("se", line.se.unwrap()), ("trimmed_ci95.1", line.trimmed_ci95.unwrap()[1])]
        {
            let cell = format!("data-name=\"{}\" data-field=\"{field}\" data-value=\"{value}\"", line.name);
            assert!(html.contains(&cell), "{cell}");
        }
    }
}

#[test]
fn parts_that_chains_stayed_in_are_told_one_by_one() {
    let html = render(&pages::apart());
    let words = [
        "The chains found 2 separate parts of the posterior and did not cross between them in this run.",
        "This run does not determine their relative weights",
        "<td>13</td><td>5</td>",
        "data-name=\"mode2\" data-field=\"log_probability\" data-value=\"-2876.0458\"",
        "<td>91, 24, 17, 12, 11, 9, 8, 7 and 7 smaller</td>",
        "<code>modes.csv</code>",
    ];
    words.iter().for_each(|word| assert!(html.contains(word), "{word}"));
    // Before the numbers that hinge on it.
    assert!(html.find("<section id=\"modes\"") < html.find("<section id=\"summaries\""));
}

/// A card begins with what sets its cluster apart, of whatever kind, and says nothing that a short run does not know.
#[test]
fn a_card_says_what_is_known_of_its_cluster() {
    let mut page = pages::table();
    page.cards.truncate(1);
    let card = &mut page.cards[0];
    (card.size, card.more_columns) = (1, 1);
    card.columns.rotate_left(1);
    let html = render(&page);
    let at = |word: &str| html.find(word).unwrap_or_else(|| panic!("{word}"));
    assert!(at("<th scope=\"col\">sex</th>") < at("<th scope=\"col\">Column</th>"));
    at("1 more column is in");
    at(", alone in 90% of the posterior");
    page.summary.clustering.as_mut().unwrap().certainty.fill(-1.5);
    let html = render(&page);
    let silent = ["of the posterior</small>", "<th scope=\"col\">Certainty</th>"];
    assert!(
        !silent.iter().any(|word| html.contains(word)) && html.contains("This run is too short to tell.")
    );
}

/// What a person asks first comes first: what each cluster is like, who is in doubt, whether to rely on it.
#[test]
fn clusters_are_introduced_by_what_sets_them_apart() {
    let html = render(&pages::table());
    let words = [
        "<p class=\"reliability\">398 of 400 pairs met",
        // Rounded to what their errors support, the exact number beside.
        "<td class=\"number\" title=\"32\">32.00<br><small>31.76 to 32.24</small></td><td class=\"number\">47.00</td>",
        "<td class=\"number\" title=\"0.7\">70.0%<br><small>68.0% to 72.0%</small></td><td class=\"number\">50%</td>",
        "9 more columns are in <code>profiles.csv</code>",
        "Correlations within the cluster: age and ",
        "Typical members: TCGA-00-1000, ",
        "<td class=\"number\">41%</td>",
        "Adjusted Rand index: 0.87",
        "Hollow marks are items in doubt.",
        "Largest loadings of axis 2: age (\u{2212}0.80).",
        "The coarsest clustering in the ball: 2 clusters, of sizes 120 and 80.",
    ];
    words.iter().for_each(|word| assert!(html.contains(word), "{word}"));
    let mut sure = pages::table();
    sure.doubts.clear();
    assert!(
        render(&sure)
            .contains("None: on average, every item shares a cluster with the other members of its own")
    );
    // Diagnostics are folded, and each says what a good one looks like.
    assert_eq!(html.matches("<details class=\"diagnostic\">").count(), 6);
    assert_eq!(html.matches("Good: ").count(), 4);
    assert_eq!(html.matches("Bad: ").count(), 4);
}

fn found(names: &[&str]) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    names
        .iter()
        .flat_map(|name| std::env::split_paths(&paths).map(move |dir| dir.join(name)))
        .find(|p| p.is_file())
}

/// Writes the page and its summary to a folder of their own, and lets the driver look at them there. With
/// `PARTITA_PICTURES` set to a folder, pictures are left in it.
fn in_browser(name: &str, page: &Page) {
    let Some(chromium) = found(&["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
    else {
        println!("skipped: no chromium on the path");
        return;
    };
    let Some(node) = found(&["node", "nodejs"]) else {
        println!("skipped: no node on the path");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (html, json) = (folder.join("report.html"), folder.join("summary.json"));
    std::fs::write(&html, render(page)).unwrap();
    std::fs::write(&json, serde_json::to_string(&page.summary).unwrap()).unwrap();
    let mut driver = Command::new(node);
    driver.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/browser.mjs"));
    driver.args([&chromium, &folder.join("profile"), &html, &json]);
    if let Some(pictures) = std::env::var_os("PARTITA_PICTURES") {
        let pictures = Path::new(&pictures).join(name);
        std::fs::create_dir_all(&pictures).unwrap();
        driver.arg(pictures);
    }
    let output = driver.output().unwrap();
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{said}");
    assert!(output.status.success(), "{said}\n{complained}");
    std::fs::remove_dir_all(&folder).ok();
}

#[test]
fn a_browser_shows_a_table() {
    in_browser("table", &pages::table());
}

#[test]
fn a_browser_shows_parts_that_chains_stayed_in() {
    in_browser("apart", &pages::apart());
}

#[test]
fn a_browser_shows_one_column() {
    in_browser("column", &pages::column());
}

#[test]
fn a_browser_shows_a_colouring() {
    in_browser("colouring", &pages::colouring());
}

#[test]
fn a_browser_shows_an_almost_empty_page() {
    let mut page = pages::bare();
    page.summary.summaries = pages::table().summary.summaries;
    for line in &mut page.summary.summaries {
        (line.se, line.ci95, line.trimmed_ci95) = (None, None, None);
        line.inefficiency = None;
    }
    // Numbers that are not finite are gaps, in a real browser too.
    page.estimates = pages::table().estimates;
    page.estimates[0].values[5] = f64::NAN;
    page.co_clustering = pages::table().co_clustering;
    page.co_clustering.as_mut().unwrap().matrix[7] = f64::INFINITY;
    in_browser("bare", &page);
}
