import type { CodingTask } from "./agentic-opd.ts";

/** Each test says at its end that everything passed. */
function task(words: string, asserts: readonly string[], imports: string): CodingTask {
  const testCode = [`from solution import ${imports}`, "", ...asserts, 'print("All tests passed")', ""].join("\n");
  return { task: words, testCode };
}

export const codingTasks: readonly CodingTask[] = [
  task(
    "Write a Python function fizzbuzz(n) that returns a list of strings for 1 to n: Fizz for multiples of 3, Buzz for multiples of 5, FizzBuzz for both, else the number.",
    [
      'assert fizzbuzz(5) == ["1", "2", "Fizz", "4", "Buzz"]',
      'assert fizzbuzz(15)[-1] == "FizzBuzz"',
      "assert fizzbuzz(0) == []",
    ],
    "fizzbuzz",
  ),
  task(
    "Write a Python function is_palindrome(text) that tells whether a text reads the same backwards, ignoring case and everything that is not a letter or digit.",
    [
      'assert is_palindrome("A man, a plan, a canal: Panama")',
      'assert not is_palindrome("hello")',
      'assert is_palindrome("")',
    ],
    "is_palindrome",
  ),
  task(
    "Write a Python function two_sum(numbers, target) that returns the indices of the first two numbers that add up to target as a tuple (i, j) with i < j, or None.",
    [
      "assert two_sum([2, 7, 11, 15], 9) == (0, 1)",
      "assert two_sum([3, 3], 6) == (0, 1)",
      "assert two_sum([1, 2], 7) is None",
    ],
    "two_sum",
  ),
  task(
    "Write a Python function flatten(items) that turns lists nested to any depth into one flat list, in order.",
    [
      "assert flatten([1, [2, [3, [4]]], 5]) == [1, 2, 3, 4, 5]",
      "assert flatten([]) == []",
      "assert flatten([[], [[]]]) == []",
    ],
    "flatten",
  ),
  task(
    "Write a Python function balanced(text) that tells whether the brackets (), [] and {} in a text are balanced; other characters are ignored.",
    [
      'assert balanced("{[()]}")',
      'assert not balanced("([)]")',
      'assert not balanced("((")',
      'assert balanced("a(b)c")',
    ],
    "balanced",
  ),
  task(
    "Write a Python function merge_intervals(intervals) that merges overlapping or touching [start, end] intervals and returns them sorted.",
    [
      "assert merge_intervals([[1, 3], [2, 6], [8, 10]]) == [[1, 6], [8, 10]]",
      "assert merge_intervals([[1, 4], [4, 5]]) == [[1, 5]]",
      "assert merge_intervals([]) == []",
    ],
    "merge_intervals",
  ),
  task(
    "Write a Python function roman(number) that writes a number from 1 to 3999 in Roman numerals.",
    ['assert roman(4) == "IV"', 'assert roman(1994) == "MCMXCIV"', 'assert roman(3999) == "MMMCMXCIX"'],
    "roman",
  ),
  task(
    "Write a Python function word_count(text) that returns a dictionary from each word in lower case to how often it occurs; words are runs of letters.",
    [
      'assert word_count("The cat the dog") == {"the": 2, "cat": 1, "dog": 1}',
      'assert word_count("") == {}',
      'assert word_count("a, b; A!") == {"a": 2, "b": 1}',
    ],
    "word_count",
  ),
];
