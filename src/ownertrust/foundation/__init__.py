"""Money, rates, day counts, calendars, schedules, provisions and problems: what everything else stands on."""
