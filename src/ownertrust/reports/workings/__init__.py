"""Behind the certificate: every figure given, and every step from them to the form, as live formulas."""
