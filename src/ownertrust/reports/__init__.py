"""Certificate, investor report, prospectus tables and their renderers: formats, never recomputes."""
