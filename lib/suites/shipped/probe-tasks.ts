/** The tasks of Model Check's probes, which are also cases of the suite Probes. */
export const PROBE_TASKS = {
  'one-call': 'Read the file alpha.md and say in one sentence what it is about.',
  types: 'Set a timer for 4 minutes with the label tea.',
  'which-tool': 'Search all files for the word banana.',
  'no-call': 'How many minutes are two hours? Answer at once with the number. No tool is needed.',
  'two-calls': 'Read the files alpha.md and beta.md. Call the tool for both of them in one reply.',
  nested: 'Add two tasks with one call: "paint the door" takes 2 days, "mow the lawn" takes 1 day.',
  required:
    'Maria (maria@example.org) asks when we meet. Send her a note under the subject Meeting: on Thursday at noon.',
  result: 'Read the file alpha.md and tell me the code word that stands in it.',
  error: 'Read the file notes.txt and tell me the number that stands in it.',
  chain: 'Read the file source.txt, write its first line to copy.txt, and then say that it is done.',
} as const;
