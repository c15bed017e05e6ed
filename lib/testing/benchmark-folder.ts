import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The request of a case, by which a scripted model recognizes it. */
export function benchmarkQuestion(room: string): string {
  return `Set the lamp in the ${room} to level 5.`;
}

/**
 * Writes a folder in the leaderboard's format: a case per room in `simple_python`, and two questions without a fitting
 * function in `irrelevance`.
 */
export function writeBenchmarkFolder(root: string, rooms: readonly string[]): string {
  const folder = join(root, 'bfcl_eval', 'data');
  mkdirSync(join(folder, 'possible_answer'), { recursive: true });
  const add = (name: string, line: unknown) =>
    appendFileSync(join(folder, name), `${JSON.stringify(line)}\n`);
  const lamp = {
    name: 'lamp.set',
    description: 'Sets a lamp.',
    parameters: {
      type: 'dict',
      properties: {
        room: { type: 'string', description: 'The room.' },
        level: { type: 'integer', description: 'How bright.' },
      },
      required: ['room', 'level'],
    },
  };
  for (const [index, room] of rooms.entries()) {
    const id = `simple_python_${index}`;
    const question = [[{ role: 'user', content: benchmarkQuestion(room) }]];
    add('BFCL_v4_simple_python.json', { id, question, function: [lamp] });
    const answer = { 'lamp.set': { room: [room], level: [5] } };
    add('possible_answer/BFCL_v4_simple_python.json', { id, ground_truth: [answer] });
  }
  for (const [index, content] of ['How are you?', 'What is love?'].entries()) {
    const question = [[{ role: 'user', content }]];
    add('BFCL_v4_irrelevance.json', { id: `irrelevance_${index}`, question, function: [lamp] });
  }
  return root;
}
