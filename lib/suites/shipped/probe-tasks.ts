/** The tasks of those probes of Model Check that are tasks for any run: their tools are tools of a run. */
export const PROBE_TASKS = {
  'one-call': 'Read the file alpha.md and say in one sentence what it is about.',
  'which-tool': 'Search all files for the word banana.',
  'no-call': 'How many minutes are two hours? Answer at once with the number. No tool is needed.',
  'two-calls': 'Read the files alpha.md and beta.md. Call the tool for both of them in one reply.',
  result: 'Read the file alpha.md and tell me the code word that stands in it.',
  error: 'Read the file notes.txt and tell me the number that stands in it.',
  chain: 'Read the file source.txt, write its first line to copy.txt, and then say that it is done.',
} as const;
