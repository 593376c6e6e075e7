// SPDX-License-Identifier: Apache-2.0
// What Java makes of a URL: java Probe URL. Prints the answer.
import java.net.URL;
import java.nio.charset.StandardCharsets;

class Probe {
    public static void main(String[] words) throws Exception {
        try (var in = new URL(words[0]).openStream()) {
            System.out.print(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
