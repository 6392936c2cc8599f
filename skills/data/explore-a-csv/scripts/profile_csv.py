#!/usr/bin/env python3
"""Profile the columns of a CSV file: filled, distinct, numeric, range, most frequent values."""
import csv
import sys
from collections import Counter

MAX_DISTINCT = 50_000


def number(text):
    try:
        return float(text.replace(",", "")) if text.strip() else None
    except ValueError:
        return None


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: profile_csv.py FILE [ENCODING]")
    encoding = sys.argv[2] if len(sys.argv) > 2 else "utf-8-sig"
    csv.field_size_limit(10_000_000)
    with open(sys.argv[1], newline="", encoding=encoding, errors="replace") as file:
        sample = file.read(65_536)
        file.seek(0)
        try:
            dialect = csv.Sniffer().sniff(sample, delimiters=",;\t|")
        except csv.Error:
            dialect = csv.excel
        reader = csv.reader(file, dialect)
        header = next(reader, [])
        counters = [Counter() for _ in header]
        filled = [0] * len(header)
        numeric = [0] * len(header)
        low = [None] * len(header)
        high = [None] * len(header)
        rows = odd = 0
        for row in reader:
            rows += 1
            if len(row) != len(header):
                odd += 1
            for index, value in enumerate(row[: len(header)]):
                if not value.strip():
                    continue
                filled[index] += 1
                if len(counters[index]) < MAX_DISTINCT or value in counters[index]:
                    counters[index][value] += 1
                as_number = number(value)
                if as_number is not None:
                    numeric[index] += 1
                    low[index] = as_number if low[index] is None else min(low[index], as_number)
                    high[index] = as_number if high[index] is None else max(high[index], as_number)
    print(f"{rows} rows, {len(header)} columns, separator {dialect.delimiter!r}, {odd} rows of another width")
    for index, name in enumerate(header):
        counter = counters[index]
        more = "+" if len(counter) >= MAX_DISTINCT else ""
        common = ", ".join(f"{value[:30]!r} x{count}" for value, count in counter.most_common(3))
        span = f", {low[index]:g} to {high[index]:g}" if low[index] is not None else ""
        print(f"- {name}: {filled[index]} filled, {len(counter)}{more} distinct, {numeric[index]} numeric{span}; {common}")


if __name__ == "__main__":
    main()
