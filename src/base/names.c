/* SPDX-License-Identifier: Apache-2.0 */
/* Names that people can say and remember: an adjective and an animal. */
#include "base/names.h"

#include <stddef.h>
#include <stdio.h>

static const char *const adjectives[] = {
	"able",    "agile",    "airy",    "alert",    "alpine",   "amber",  "ample",   "apt",     "arctic",
	"artful",  "azure",    "balmy",   "basic",    "blue",     "bold",   "brave",   "breezy",  "brief",
	"bright",  "brisk",    "bronze",  "busy",     "calm",     "candid", "careful", "casual",  "cheery",
	"civil",   "clean",    "clear",   "clever",   "coastal",  "cool",   "copper",  "coral",   "cosmic",
	"cozy",    "crisp",    "curious", "cyan",     "daily",    "dapper", "daring",  "deep",    "deft",
	"direct",  "dreamy",   "eager",   "early",    "earnest",  "easy",   "elegant", "epic",    "exact",
	"fair",    "famous",   "fancy",   "fast",     "fearless", "fine",   "firm",    "fluent",  "fluffy",
	"fond",    "frank",    "free",    "fresh",    "friendly", "frosty", "full",    "funny",   "gentle",
	"genuine", "giant",    "gifted",  "glad",     "gleaming", "glossy", "golden",  "good",    "graceful",
	"grand",   "grateful", "great",   "green",    "handy",    "happy",  "hardy",   "hearty",  "helpful",
	"honest",  "humble",   "ideal",   "jolly",    "jovial",   "joyful", "keen",    "kind",    "lasting",
	"level",   "light",    "little",  "lively",   "local",    "loyal",  "lucid",   "lucky",   "lunar",
	"magic",   "major",    "merry",   "mighty",   "mild",     "mint",   "misty",   "modern",  "modest",
	"musical", "natural",  "neat",    "new",      "nice",     "nimble", "noble",   "novel",   "olive",
	"open",    "orange",   "patient", "peaceful", "perfect",  "pink",   "plain",   "playful", "pleasant",
	"polite",  "prime",    "proper",  "proud",    "pure",     "quick",  "quiet",   "rapid",   "rare",
	"ready",   "regal",    "relaxed", "rich",     "robust",   "rosy",   "round",   "royal",   "rustic",
	"safe",    "sandy",    "serene",  "sharp",    "shiny",    "silent", "silver",  "simple",  "sincere",
	"smart",   "smooth",   "snowy",   "social",   "soft",     "solar",  "solid",   "sonic",   "sound",
	"speedy",  "spry",     "stable",  "steady",   "still",    "stout",  "sturdy",  "sublime", "sunny",
	"super",   "sure",     "sweet",   "swift",    "tall",     "tame",   "teal",    "tender",  "thankful",
	"tidy",    "tiny",     "tough",   "tranquil", "true",     "trusty", "upbeat",  "urban",   "useful",
	"valiant", "vast",     "velvet",  "violet",   "vivid",    "warm",   "wise",    "witty",   "young",
	"zesty",
};

static const char *const animals[] = {
	"albacore", "alpaca",   "antelope", "avocet",   "badger",   "bat",      "beagle",   "bear",
	"beaver",   "bee",      "beetle",   "bison",    "bobcat",   "buffalo",  "bunny",    "buzzard",
	"camel",    "canary",   "capybara", "caribou",  "carp",     "cat",      "catfish",  "cheetah",
	"chicken",  "chipmunk", "clam",     "cod",      "collie",   "condor",   "corgi",    "cougar",
	"coyote",   "crab",     "crane",    "cricket",  "crow",     "cuckoo",   "curlew",   "deer",
	"dingo",    "dipper",   "dog",      "dolphin",  "donkey",   "dormouse", "dove",     "duck",
	"dunlin",   "eagle",    "echidna",  "eel",      "egret",    "eider",    "elk",      "emu",
	"ermine",   "falcon",   "fawn",     "ferret",   "finch",    "firefly",  "flounder", "fox",
	"frog",     "gannet",   "gazelle",  "gecko",    "gerbil",   "gibbon",   "giraffe",  "goat",
	"goose",    "gopher",   "grebe",    "grouse",   "gull",     "guppy",    "haddock",  "halibut",
	"hamster",  "hare",     "harrier",  "hawk",     "hedgehog", "heron",    "herring",  "hippo",
	"hornet",   "horse",    "hound",    "husky",    "hyena",    "ibex",     "ibis",     "iguana",
	"impala",   "jackdaw",  "jaguar",   "jay",      "kestrel",  "kiwi",     "koala",    "kudu",
	"lamb",     "lark",     "lemming",  "lemur",    "leopard",  "limpet",   "linnet",   "lion",
	"lizard",   "llama",    "lobster",  "lynx",     "macaw",    "mackerel", "magpie",   "mallard",
	"manatee",  "marlin",   "marmot",   "marten",   "martin",   "meerkat",  "merlin",   "minnow",
	"mole",     "mongoose", "moose",    "mouse",    "mule",     "mussel",   "narwhal",  "newt",
	"ocelot",   "octopus",  "oriole",   "osprey",   "ostrich",  "otter",    "owl",      "oyster",
	"panda",    "panther",  "parrot",   "pelican",  "penguin",  "perch",    "pheasant", "pigeon",
	"pika",     "plover",   "pony",     "porpoise", "puffin",   "puma",     "python",   "quail",
	"quokka",   "rabbit",   "raccoon",  "raven",    "redstart", "robin",    "rook",     "salmon",
	"sardine",  "seahorse", "seal",     "sheep",    "shrike",   "shrimp",   "siskin",   "skink",
	"skylark",  "sloth",    "snail",    "spaniel",  "sparrow",  "squid",    "squirrel", "starling",
	"stoat",    "stork",    "sturgeon", "swallow",  "swan",     "tapir",    "tern",     "terrier",
	"thrush",   "tiger",    "toad",     "tortoise", "toucan",   "trout",    "tuna",     "turkey",
	"turtle",   "vole",     "walrus",   "warbler",  "weasel",   "whale",    "wolf",     "wombat",
	"wren",     "yak",      "zebra",
};

#define N(list) (sizeof(list) / sizeof(*(list)))

_Static_assert(N(adjectives) >= 128 && N(animals) >= 128, "enough names");

/* Seeds that differ in little, such as times, give names that differ in much (the end of splitmix64). */
static uint64_t mix(uint64_t seed)
{
	seed += 0x9e3779b97f4a7c15ull;
	seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ull;
	seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebull;
	return seed ^ (seed >> 31);
}

void name_two_words(uint64_t seed, char ret[NAME_TWO_WORDS_SIZE])
{
	uint64_t at = mix(seed);

	snprintf(ret, NAME_TWO_WORDS_SIZE, "%s-%s", adjectives[(at >> 32) % N(adjectives)],
		 animals[(at & UINT32_MAX) % N(animals)]);
}
