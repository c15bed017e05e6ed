import type { SuiteCaseInput } from '../../api/suite.ts';

const SENTENCES = [
  'The tide tables were copied by hand and checked against the harbour clock.',
  'Nobody on the quay remembered when the second lamp had been replaced.',
  'A crate of oranges stood in the rain until the clerk signed for it.',
  'The ferry left late, and the gulls followed it as far as the outer buoy.',
  'Two ropes were spliced before noon, and the third was sent back to the loft.',
  'In the office, the ledger lay open on the page for the previous week.',
];

/**
 * Cases whose files are together larger than a small window, so that what was read first is shortened before the answer is
 * due. Each answer needs a fact from every file.
 */
export const LONG_READING = {
  name: 'Long reading',
  description: 'Four tasks that need a fact from each of eight long files: more than a small window holds.',
  cases: [total(), codeWord(), missingShip(), latest()],
};

/** A chapter of about 3,000 characters with a fact in its middle. */
function chapter(number: number, fact: string): string {
  const line = (offset: number) => SENTENCES[(number + offset) % SENTENCES.length] ?? '';
  const part = (from: number) => Array.from({ length: 20 }, (_, index) => line(from + index)).join('\n');
  return `Chapter ${number}\n\n${part(0)}\n\n${fact}\n\n${part(3)}\n`;
}

function chapters(facts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    facts.map((fact, index) => [`chapter-${index + 1}.txt`, chapter(index + 1, fact)]),
  );
}

function total(): SuiteCaseInput {
  const sacks = [12, 7, 31, 4, 18, 25, 9, 16];
  return {
    id: 'long.total',
    input:
      'Each of the files chapter-1.txt to chapter-8.txt says how many sacks of flour arrived. How many arrived in all?',
    files: chapters(sacks.map((count) => `That day ${count} sacks of flour arrived.`)),
    target: String(sacks.reduce((sum, count) => sum + count, 0)),
    tags: ['long reading'],
  };
}

function codeWord(): SuiteCaseInput {
  return {
    id: 'long.code-word',
    input:
      'Each of the files chapter-1.txt to chapter-8.txt names one letter. Which word do they spell, in the order of the chapters?',
    files: chapters([...'LANTERNS'].map((letter) => `The letter of this chapter is ${letter}.`)),
    target: 'LANTERNS',
    tags: ['long reading'],
  };
}

function missingShip(): SuiteCaseInput {
  const ships = ['Alma', 'Bruna', 'Corvo', 'Dalia', 'Elva', 'Fedora', 'Gavina', 'Hestia'];
  return {
    id: 'long.missing-ship',
    input: `One of the ships ${[...ships, 'Irma'].join(', ')} is in none of the files chapter-1.txt to chapter-8.txt. Which one?`,
    files: chapters(ships.map((ship) => `The ${ship} came in with the evening tide.`)),
    target: 'Irma',
    tags: ['long reading'],
  };
}

function latest(): SuiteCaseInput {
  const minutes = [12, 47, 5, 33, 58, 21, 40, 9];
  return {
    id: 'long.latest',
    input:
      'Each of the files chapter-1.txt to chapter-8.txt says at what time the lamp was lit, all between 21:00 and 22:00. In which chapter was it lit latest? Answer with the number of the chapter and the time.',
    files: chapters(minutes.map((minute) => `The lamp was lit at 21:${String(minute).padStart(2, '0')}.`)),
    target: '21:58',
    tags: ['long reading'],
  };
}
