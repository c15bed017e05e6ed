import { PassThrough, Writable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import type { LoupeRun } from '../client/loupe.ts';
import { AppError } from '../errors/app-error.ts';
import { Conversation } from './conversation.ts';

function open({ isTTY = false } = {}) {
  const did: string[] = [];
  const printed = { err: '' };
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      printed.err += chunk;
      done();
    },
  });
  const input = Object.assign(new PassThrough(), { isTTY });
  const run = {
    say: vi.fn(async (text: string) => void did.push(text)),
    stop: vi.fn(async () => void did.push('(stop)')),
  } as unknown as Pick<LoupeRun, 'say' | 'stop'>;
  const errors: unknown[] = [];
  const conversation = new Conversation(run, { input, stderr, onError: (error) => errors.push(error) });
  return { did, printed, input, conversation, run, errors };
}

const settled = () => new Promise((done) => setImmediate(done));
const waits = { type: 'message.awaited' } as const;
const said = { type: 'operator.messaged' } as const;

it('sends the lines of a pipe one by one, each when the session waits, and ends the session after the last', async () => {
  const { did, input, conversation } = open();
  input.end('One.\n\n  Two.  \n');
  await vi.waitFor(() => expect(input.readableEnded).toBe(true));
  expect(did).toEqual([]);
  conversation.event(waits);
  await settled();
  expect(did).toEqual(['One.']);
  conversation.event(said);
  conversation.event(waits);
  await settled();
  expect(did).toEqual(['One.', 'Two.']);
  expect(conversation.isComplete).toBe(false);
  conversation.event(said);
  conversation.event(waits);
  await settled();
  expect(did).toEqual(['One.', 'Two.', '(stop)']);
  expect(conversation.isComplete).toBe(true);
});

it('sends what is entered in a terminal at once, and prompts while the session waits', async () => {
  const { did, printed, input, conversation } = open({ isTTY: true });
  input.write('Early.\n');
  await vi.waitFor(() => expect(did).toEqual(['Early.']));
  expect(printed.err).toBe('');
  conversation.event(waits);
  expect(printed.err).toBe('You: ');
  input.end();
  await vi.waitFor(() => expect(did).toEqual(['Early.', '(stop)']));
});

it('reports a message that could not be sent', async () => {
  const { run, input, conversation, errors } = open();
  vi.mocked(run.say).mockRejectedValueOnce(new Error('gone'));
  input.write('Hello.\n');
  conversation.event(waits);
  await vi.waitFor(() => expect(errors).toEqual([new Error('gone')]));
});

it('continues with the next line, and then ends the session, after a message that the server refuses', async () => {
  const { did, run, input, conversation } = open();
  vi.mocked(run.say).mockRejectedValueOnce(new AppError({ code: 'invalid_request', message: 'too long' }));
  input.end('Too long.\nShort.\n');
  await vi.waitFor(() => expect(input.readableEnded).toBe(true));
  conversation.event(waits);
  await vi.waitFor(() => expect(did).toEqual(['Short.']));
  conversation.event(said);
  conversation.event(waits);
  await vi.waitFor(() => expect(did).toEqual(['Short.', '(stop)']));
  expect(conversation.isComplete).toBe(false);
});

it('prompts again after a message that the server refuses', async () => {
  const { printed, run, input, conversation, errors } = open({ isTTY: true });
  vi.mocked(run.say).mockRejectedValueOnce(new AppError({ code: 'invalid_request', message: 'too long' }));
  conversation.event(waits);
  input.write('Too long.\n');
  await vi.waitFor(() => expect(errors).toHaveLength(1));
  expect(printed.err).toBe('You: You: ');
});

it('ends the line of its prompt before other output, unless the person has', async () => {
  const { printed, input, conversation } = open({ isTTY: true });
  conversation.leavePrompt();
  conversation.event(waits);
  conversation.leavePrompt(); // a message from the page is printed
  conversation.leavePrompt();
  expect(printed.err).toBe('You: \n');
  conversation.event(said);
  conversation.event(waits);
  input.write('Entered.\n');
  await settled();
  conversation.leavePrompt();
  expect(printed.err).toBe('You: \nYou: ');
  conversation.event(said);
  conversation.event(waits);
  input.end();
  await vi.waitFor(() => expect(printed.err).toBe('You: \nYou: You: \n'));
});
