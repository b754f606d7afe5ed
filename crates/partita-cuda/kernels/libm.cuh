// The logarithm and the exponential of the crate libm (FreeBSD's), operation by operation: merge-split moves use them.

DEVICE u32 high_word(double x) { return (u32)(bits_of(x) >> 32); }

// x times 2^n, as `scalbn` rounds it; n is that of an exponential.
DEVICE double scaled(double x, int n) {
    if (n > 1023) {
        x *= double_of(0x7FE0000000000000ull);
        n -= 1023;
    } else if (n < -1022) {
        x *= double_of(0x0360000000000000ull);  // 2^-969
        n += 969;
    }
    return x * double_of((u64)(1023 + n) << 52);
}

APART double libm_exp(double x) {
    u32 high = high_word(x);
    int sign = (int)(high >> 31), k;
    high &= 0x7FFFFFFFu;
    if (high >= 0x4086232Bu) {
        if (x != x) return x;
        if (x > 709.782712893383973096) return x * double_of(0x7FE0000000000000ull);
        if (x < -745.13321910194110842) return 0.0;
    }
    double hi, lo;
    if (high > 0x3FD62E42u) {
        k = high >= 0x3FF0A2B2u ? (int)(1.44269504088896338700 * x + (sign ? -0.5 : 0.5)) : 1 - sign - sign;
        hi = x - (double)k * 6.93147180369123816490e-01;
        lo = (double)k * 1.90821492927058770002e-10;
        x = hi - lo;
    } else if (high > 0x3E300000u) {
        k = 0;
        hi = x;
        lo = 0.0;
    } else {
        return 1.0 + x;
    }
    const double p1 = 1.66666666666666019037e-01, p2 = -2.77777777770155933842e-03, p3 = 6.61375632143793436117e-05,
                 p4 = -1.65339022054652515390e-06, p5 = 4.13813679705723846039e-08;
    double xx = x * x;
    double c = x - xx * (p1 + xx * (p2 + xx * (p3 + xx * (p4 + xx * p5))));
    double y = 1.0 + (x * c / (2.0 - c) - lo + hi);
    return k == 0 ? y : scaled(y, k);
}

// Of a number that is not negative.
APART double libm_log(double x) {
    u64 bits = bits_of(x);
    u32 high = (u32)(bits >> 32);
    int k = 0;
    if (bits << 1 == 0) return double_of(0xFFF0000000000000ull);
    if (high < 0x00100000u) {
        k -= 54;
        x *= double_of(0x4350000000000000ull);
        bits = bits_of(x);
        high = (u32)(bits >> 32);
    } else if (high >= 0x7FF00000u) {
        return x;
    } else if (high == 0x3FF00000u && bits << 32 == 0) {
        return 0.0;
    }
    high += 0x3FF00000u - 0x3FE6A09Eu;
    k += (int)(high >> 20) - 0x3FF;
    high = (high & 0x000FFFFFu) + 0x3FE6A09Eu;
    x = double_of((u64)high << 32 | (bits & 0xFFFFFFFFull));
    const double lg1 = 6.666666666666735130e-01, lg2 = 3.999999999940941908e-01, lg3 = 2.857142874366239149e-01,
                 lg4 = 2.222219843214978396e-01, lg5 = 1.818357216161805012e-01, lg6 = 1.531383769920937332e-01,
                 lg7 = 1.479819860511658591e-01;
    double f = x - 1.0, half_square = 0.5 * f * f, s = f / (2.0 + f), z = s * s, w = z * z;
    double t1 = w * (lg2 + w * (lg4 + w * lg6)), t2 = z * (lg1 + w * (lg3 + w * (lg5 + w * lg7)));
    double r = t2 + t1, dk = (double)k;
    return s * (half_square + r) + dk * 1.90821492927058770002e-10 - half_square + f + dk * 6.93147180369123816490e-01;
}
