/* What a step costs that touches every weight: soft threshold, running sum, two inner products. */
double sweep(long steps, long d, double t, const double *m, double *w, double *total)
{
    double found = 0.0;
    for (long k = 0; k < steps; k++) {
        double a = 0.0, b = 0.0;
        for (long j = 0; j < d; j++) {
            double low = w[j] - t, high = w[j] + t;
            double v = low > 0.0 ? low : (high < 0.0 ? high : 0.0);
            w[j] = v;
            total[j] += v;
            a += v * m[2 * j];
            b += v * m[2 * j + 1];
        }
        found += a - b;
    }
    return found;
}
