// SPDX-License-Identifier: Apache-2.0
package ledger;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Sums up sales by month and item. */
public final class Book {
    private final Map<String, Double> sums = new TreeMap<>();

    /** Takes a line of day,item,amount. */
    public synchronized void add(String line) {
        String[] parts = line.split(",");
        if (parts.length != 3 || parts[0].length() < 7)
            throw new IllegalArgumentException("'" + line + "' is not day,item,amount");
        sums.merge(parts[0].substring(0, 7) + " " + parts[1], Double.parseDouble(parts[2]), Double::sum);
    }

    public synchronized String report() {
        return sums.entrySet().stream()
            .map(e -> String.format(Locale.ROOT, "%s %.2f", e.getKey(), e.getValue()))
            .collect(Collectors.joining("\n"));
    }

    public static void main(String[] args) throws java.io.IOException {
        Book book = new Book();
        try (var in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in))) {
            for (String line = in.readLine(); line != null; line = in.readLine())
                book.add(line);
        }
        System.out.println(book.report());
    }
}
