import { expect, it } from 'vitest';
import { CaseFileError, readCases } from './read-cases.ts';
import { toolDefinitions } from './tool-definitions.ts';

const lamp = {
  name: 'lamp.set',
  description: 'Sets a lamp.',
  parameters: {
    type: 'dict',
    properties: {
      level: { type: 'float', description: 'How bright.' },
      rooms: { type: 'tuple', items: { type: 'dict', properties: { id: { type: 'any' } } }, description: '' },
    },
    required: ['level'],
  },
};
const question = (id: string, changes = {}) =>
  JSON.stringify({ id, question: [[{ role: 'user', content: 'Light!' }]], function: [lamp], ...changes });
const answer = (id: string) => `{"id":"${id}","ground_truth":[{"lamp.set":{"level":[1.0]}}]}`;
const read = (questions: string, answers: string) =>
  readCases('simple_python', {
    questions: { name: 'q.json', text: questions },
    answers: { name: 'a.json', text: answers },
  });

it('reads questions with their possible answers by id', () => {
  const cases = read(`${question('a')}\n\n${question('b')}\n`, `${answer('b')}\n${answer('a')}`);
  expect(cases.map(({ id, answers }) => [id, answers.length])).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

it.each([
  ['{', answer('a'), 'q.json, line 1: the line is not JSON.'],
  [`${question('a')}\n${question('a')}`, answer('a'), 'q.json, line 2: the id "a" is used twice.'],
  [question('a'), answer('b'), 'q.json, line 1: "a" has no possible answer in a.json.'],
  [question('a'), '{"id":"a"}', 'a.json, line 1: expected an "id" and a list of calls as "ground_truth".'],
  [question('a', { function: [{}] }), answer('a'), /q\.json, line 1: function\.0\.name/],
  [question('a', { question: [] }), answer('a'), /q\.json, line 1: question/],
  ['', answer('a'), 'q.json has no questions.'],
])('refuses the questions %j with the place and the reason', (questions, answers, message) => {
  expect(() => read(questions, answers)).toThrow(CaseFileError);
  expect(() => read(questions, answers)).toThrow(message);
});

it('declares functions without dots in their names, with the types of JSON schema', () => {
  const [one] = read(question('a'), answer('a'));
  expect(one && toolDefinitions(one)).toMatchObject([
    {
      function: {
        name: 'lamp_set',
        description: 'Sets a lamp. Note that the provided function is in Python 3 syntax.',
        parameters: {
          type: 'object',
          required: ['level'],
          properties: {
            level: {
              type: 'number',
              format: 'float',
              description: 'How bright. This is a float type value.',
            },
            rooms: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
          },
        },
      },
    },
  ]);
});

it('declares arguments in Java as texts, and says what they are', () => {
  const java = {
    ...lamp,
    parameters: {
      properties: {
        ids: { type: 'ArrayList', items: { type: 'long' }, description: 'IDs.' },
        any: { type: 'any' },
      },
    },
  };
  const [one] = readCases('simple_java', {
    questions: { name: 'q.json', text: question('a', { function: [java] }) },
    answers: { name: 'a.json', text: answer('a') },
  });
  const [tool] = one ? toolDefinitions(one) : [];
  expect(tool?.function.parameters.properties).toEqual({
    ids: {
      type: 'string',
      description:
        'IDs. This is Java ArrayList type parameter in string representation. The list elements are of type long; they are not in string representation.',
    },
    any: {
      type: 'string',
      description: ' This parameter can be of any type of Java object in string representation.',
    },
  });
});
