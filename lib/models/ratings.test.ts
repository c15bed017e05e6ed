import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CreateRatingRequest, createRatingRequest } from '../api/rating.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { RunEvent } from '../events/registry.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { exploreLog } from '../testing/sample-modes.ts';
import { scriptedModel } from '../testing/simulate-run.ts';
import { RatingLog } from './rating-log.ts';
import { Ratings } from './ratings.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const questionnaire = {
  name: 'Clarity',
  scale: { min: 1, max: 10, min_label: 'no', max_label: 'yes' },
  items: [
    { id: 'plain', text: 'It is plain.' },
    { id: 'vague', text: 'It is vague.', reversed: true },
  ],
};
const request = (more: Partial<CreateRatingRequest> = {}) =>
  createRatingRequest.parse({
    ...{ name: 'Study', questionnaire, part: 'reflections', run_ids: ['a', 'b'], models: ['one', 'two'] },
    ...more,
  });
const scores = (plain: number, vague: number) => JSON.stringify({ plain, vague });

/** Ratings whose models give scripted answers. Opening them again on the same folder is a restart. */
function open(folder: string, chat: ChatModel['chat'], options: { shared?: boolean } = {}): Ratings {
  const logs: Record<string, readonly RunEvent[]> = { a: exploreLog(3).events, b: exploreLog(4).events };
  return new Ratings({
    log: new RatingLog(folder),
    stored: {
      get: async (id) => ({ run: { id, title: `Run ${id}`, model: 'm' } as RunSummary }),
      async *log(id) {
        yield logs[id] ?? [];
      },
    },
    slots: {
      withSlot: ({ signal }, work) => work(signal),
      queuePosition: () => undefined,
    },
    admit: async () => undefined,
    modelFor: async () => scriptedModel(chat),
    newId: () => 'study',
    now: () => 7,
    ...options,
  });
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-ratings-'));
  folders.push(folder);
  return folder;
}

const answer = (content: string) => ({ message: { role: 'assistant', content }, timings: {} });
const done = (ratings: Ratings) =>
  vi.waitFor(async () => expect((await ratings.get('study')).rating.status).not.toBe('running'), 10_000);

it('every model rates every text once, model by model, without seeing other scores', async () => {
  const asked: string[] = [];
  const ratings = open(newFolder(), async ({ model, messages, options, format }) => {
    asked.push(model);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(options.temperature).toBe(0);
    expect(format).toMatchObject({ required: ['plain', 'vague'] });
    return answer(`Here it is: ${model === 'one' ? scores(9, 2) : scores(7, 4)}`);
  });
  const { study } = await ratings.create(request());
  expect(study.subjects[0]?.text).toContain('Cycle 1\n');
  await done(ratings);
  expect(asked).toEqual(['one', 'one', 'two', 'two']);
  expect(await ratings.results('study')).toMatchObject({
    raters: [
      { name: 'one', kind: 'model' },
      { name: 'two', kind: 'model' },
    ],
    // 9, and 2 turned round to 9; 7, and 4 turned round to 7.
    matrix: [
      [9, 9],
      [7, 7],
    ],
    means: [8, 8],
    complete: 2,
  });
});

it('continues after a crash with the missing ratings, and repeats none', async () => {
  const folder = newFolder();
  const asked: string[] = [];
  let calls = 0;
  const dying = open(folder, async ({ model }, { signal }) => {
    calls += 1;
    if (calls < 3) return answer(scores(5, 5));
    // The process dies here: the call never returns, and nothing is written.
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(model))));
  });
  await dying.create(request());
  await vi.waitFor(async () => expect((await dying.get('study')).rating.rated).toBe(2));
  // The power fails in the middle of a line.
  appendFileSync(join(folder, 'study.jsonl'), '{"type":"rated","rater":"two","run_id":"a","sco');
  const next = open(folder, async ({ model }) => {
    asked.push(model);
    return answer(scores(6, 6));
  });
  await next.resume();
  await done(next);
  expect(asked).toEqual(['two', 'two']);
  expect((await next.get('study')).rating).toMatchObject({ status: 'done', rated: 4, planned: 4 });
  await dying.close();
});

it('can be stopped and continued; failures are told, and tried again only then', async () => {
  let good = false;
  const asked: string[] = [];
  const ratings = open(newFolder(), async ({ model }) => {
    asked.push(model);
    return answer(good || model === 'one' ? scores(5, 5) : scores(50, 5));
  });
  await ratings.create(request());
  await done(ratings);
  const failed = await ratings.get('study');
  expect(failed.rating).toMatchObject({ status: 'stopped', rated: 2 });
  expect(failed.failures).toMatchObject([
    { rater: 'two', run_id: 'a', error: 'plain needs a whole number from 1 to 10.' },
    { rater: 'two', run_id: 'b' },
  ]);
  // Each was asked twice.
  expect(asked).toHaveLength(2 + 4);
  good = true;
  await ratings.run('study');
  await done(ratings);
  expect(asked).toHaveLength(2 + 4 + 2);
  expect(await ratings.get('study')).toMatchObject({ rating: { status: 'done' }, failures: [] });
});

it('asks for each rating once, however many requests continue a study at the same time', async () => {
  let good = false;
  const asked: string[] = [];
  const ratings = open(newFolder(), async ({ model }) => {
    asked.push(model);
    return answer(good ? scores(5, 5) : 'no scores');
  });
  await ratings.create(request({ models: ['one'], run_ids: ['a'] }));
  await done(ratings);
  good = true;
  asked.length = 0;
  await Promise.all([ratings.run('study'), ratings.run('study')]);
  await done(ratings);
  expect(asked).toEqual(['one']);
});

describe('two processes with one data directory', () => {
  const shared = { shared: true };
  const endless: ChatModel['chat'] = (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('ask for each rating once, and both show it', async () => {
    const folder = newFolder();
    const dying = open(folder, endless);
    await dying.create(request());
    await dying.close();
    const asked: string[] = [];
    const chat: ChatModel['chat'] = async ({ model }) => {
      asked.push(model);
      return answer(scores(5, 5));
    };
    const both = [open(folder, chat, shared), open(folder, chat, shared)];
    await Promise.all(both.map((each) => each.resume()));
    await Promise.all(both.map((each) => each.run('study')));
    await Promise.all(both.map((each) => done(each)));
    expect(asked).toEqual(['one', 'one', 'two', 'two']);
    for (const each of both)
      expect((await each.get('study')).rating).toMatchObject({ status: 'done', rated: 4 });
  });

  it('read again what the other wrote, and not what they wrote themselves', async () => {
    const folder = newFolder();
    const read = vi.spyOn(RatingLog.prototype, 'read');
    const first = open(folder, async () => answer(scores(5, 5)), shared);
    await first.resume();
    await first.create(request());
    await done(first);
    expect(read).not.toHaveBeenCalled();
    const other = open(folder, endless, shared);
    await other.score('study', { person: 'Ada', run_id: 'a', scores: { plain: 3, vague: 3 } });
    read.mockClear();
    expect((await other.get('study')).people).toEqual({ Ada: ['a'] });
    expect(read).not.toHaveBeenCalled();
    expect((await first.get('study')).people).toEqual({ Ada: ['a'] });
    expect(read).toHaveBeenCalledOnce();
    read.mockRestore();
  });

  it('take over from one that ended, and not before', async () => {
    const folder = newFolder();
    const first = open(folder, endless, shared);
    await first.create(request());
    const second = open(folder, async () => answer(scores(5, 5)), shared);
    await second.resume();
    expect((await second.get('study')).rating).toMatchObject({ status: 'running', rated: 0 });
    await first.close();
    await second.resume();
    await done(second);
    expect((await second.get('study')).rating.rated).toBe(4);
  });

  it.each(['stop', 'delete'] as const)('a %s reaches the one that works on it', async (what) => {
    const folder = newFolder();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    let calls = 0;
    const working = open(
      folder,
      async () => {
        calls += 1;
        asked.resolve();
        await answered.promise;
        return answer(scores(5, 5));
      },
      shared,
    );
    await working.create(request());
    await asked.promise;
    const other = open(folder, endless, shared);
    await other[what]('study');
    answered.resolve();
    if (what === 'stop') {
      await done(working);
      expect((await working.get('study')).rating).toMatchObject({ status: 'stopped' });
    } else {
      await expect(working.get('study')).rejects.toMatchObject({ code: 'rating_not_found' });
    }
    await working.close();
    expect(calls).toBe(1);
    expect(readdirSync(folder)).toEqual(what === 'stop' ? ['study.jsonl', 'study.lock'] : []);
  });
});

it.each(['stop', 'delete'] as const)('a %s while its start is being stored ends it', async (what) => {
  const folder = newFolder();
  let asked = 0;
  const ratings = open(folder, async () => {
    asked += 1;
    return answer('no scores');
  });
  await ratings.create(request({ models: ['one'], run_ids: ['a'] }));
  await done(ratings);
  asked = 0;
  const { append } = RatingLog.prototype;
  const begun = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const slow = vi.spyOn(RatingLog.prototype, 'append');
  slow.mockImplementationOnce(async function (this: RatingLog, ...line) {
    begun.resolve();
    await stored.promise;
    await append.apply(this, line);
  });
  const running = ratings.run('study');
  await begun.promise;
  const ended = ratings[what]('study');
  await Promise.resolve();
  stored.resolve();
  await Promise.all([running, ended]);
  await ratings.close();
  slow.mockRestore();
  expect(asked).toBe(0);
  const next = open(folder, async () => answer(scores(5, 5)));
  expect((await next.list()).ratings.map(({ status }) => status)).toEqual(what === 'stop' ? ['stopped'] : []);
  expect(readdirSync(folder)).toEqual(what === 'stop' ? ['study.jsonl'] : []);
});

describe('requests with an idempotency key', () => {
  const key = { idempotencyKey: 'key' };
  const once = request({ models: ['one'], run_ids: ['a'] });

  it('create one study, also at the same time and after a restart, which is rated once', async () => {
    const folder = newFolder();
    const asked: string[] = [];
    const chat: ChatModel['chat'] = async ({ model }) => {
      asked.push(model);
      return answer(scores(5, 5));
    };
    const ratings = open(folder, chat);
    const created = await Promise.all([1, 2, 3].map(() => ratings.create(once, key)));
    expect(created.map((each) => each.created).sort()).toEqual([false, false, true]);
    const [id = ''] = created.map(({ rating }) => rating.id);
    await vi.waitFor(async () => expect((await ratings.get(id)).rating.status).toBe('done'));
    await ratings.close();
    const next = open(folder, chat);
    await next.resume();
    expect(await next.create(once, key)).toMatchObject({ created: false, rating: { id, status: 'done' } });
    expect((await next.list()).ratings).toHaveLength(1);
    expect(asked).toEqual(['one']);
  });

  it('are refused with another body, and after the study was deleted', async () => {
    const folder = newFolder();
    const ratings = open(folder, async () => answer(scores(5, 5)));
    const { rating } = await ratings.create(once, key);
    await expect(ratings.create(request({ models: [] }), key)).rejects.toMatchObject({
      code: 'idempotency_conflict',
      message: `The idempotency key was used for another request (rating ${rating.id}).`,
    });
    await ratings.delete(rating.id);
    for (const each of [ratings, open(folder, async () => answer(scores(5, 5)))]) {
      await expect(each.create(once, key)).rejects.toMatchObject({
        code: 'rating_deleted',
        message: `The rating that was started with this idempotency key was deleted (rating ${rating.id}).`,
      });
      expect((await each.list()).ratings).toEqual([]);
    }
    expect(readdirSync(folder)).toEqual([`${rating.id}.deleted`]);
    expect(await ratings.create(once, { idempotencyKey: 'other' })).toMatchObject({ created: true });
    await ratings.close();
  });

  it('create one study in two processes with one data directory', async () => {
    const folder = newFolder();
    const asked: string[] = [];
    const chat: ChatModel['chat'] = async ({ model }) => {
      asked.push(model);
      return answer(scores(5, 5));
    };
    const both = [open(folder, chat, { shared: true }), open(folder, chat, { shared: true })];
    const created = await Promise.all(both.map((each) => each.create(once, key)));
    expect(created.map((each) => each.created).sort()).toEqual([false, true]);
    expect(created.map(({ rating }) => rating.status)).not.toContain('stopped');
    const [id = ''] = created.map(({ rating }) => rating.id);
    for (const each of both) {
      await vi.waitFor(async () => expect((await each.get(id)).rating.status).toBe('done'));
      expect((await each.list()).ratings).toHaveLength(1);
    }
    expect(asked).toEqual(['one']);
    await both[0]?.delete(id);
    await expect(both[1]?.create(once, key)).rejects.toMatchObject({ code: 'rating_deleted' });
  });

  it('create and rate one study, whenever the server was killed during the first request', async () => {
    const folder = newFolder();
    const first = open(folder, async () => answer(scores(5, 5)));
    const { rating } = await first.create(once, key);
    await vi.waitFor(async () => expect((await first.get(rating.id)).rating.status).toBe('done'));
    await first.close();
    const path = join(folder, `${rating.id}.jsonl`);
    const whole = readFileSync(path);
    const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a);
    const around = ends.flatMap((end) => [end - 1, end, end + 1, end + 2]);
    for (const cut of new Set([0, 1, 100, ...around].filter((at) => at <= whole.length))) {
      writeFileSync(path, whole.subarray(0, cut));
      const next = open(folder, async () => answer(scores(5, 5)));
      await next.resume();
      const again = await next.create(once, key);
      // A line that lacks only its line break is whole.
      expect([cut, again.created]).toEqual([cut, cut < (ends[0] ?? 0)]);
      await vi.waitFor(async () => expect((await next.get(rating.id)).rating.status).toBe('done'));
      expect((await next.list()).ratings).toMatchObject([{ id: rating.id, rated: 1 }]);
      await next.close();
    }
  });

  it('do not start models again that a person has stopped', async () => {
    const folder = newFolder();
    const ratings = open(folder, (_, { signal }) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const { rating } = await ratings.create(once, key);
    await ratings.stop(rating.id);
    expect(await ratings.create(once, key)).toMatchObject({ rating: { status: 'stopped' } });
    await ratings.close();
    const next = open(folder, async () => answer(scores(5, 5)));
    expect(await next.create(once, key)).toMatchObject({ rating: { status: 'stopped' } });
  });
});

it('reads the files of versions that had no keys', async () => {
  const folder = newFolder();
  const study = {
    ...{ id: 'old', name: 'Old', created_at: 1, part: 'output', models: [] },
    subjects: [{ run_id: 'a', title: 'A', model: 'm', text: 'A text.' }],
    questionnaire: {
      ...questionnaire,
      ...{ description: '', instructions: '' },
      scale: { ...questionnaire.scale, level: 'ordinal' },
      items: questionnaire.items.map((item) => ({ reversed: false, ...item })),
    },
  };
  const lines = [
    { type: 'created', study },
    { type: 'rated', rater: 'Ada', run_id: 'a', scores: { plain: 3, vague: 4 }, at: 2 },
  ];
  writeFileSync(join(folder, 'old.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const ratings = open(folder, async () => answer(scores(5, 5)));
  expect(await ratings.get('old')).toMatchObject({ study, people: { Ada: ['a'] } });
  await ratings.delete('old');
  expect(readdirSync(folder)).toEqual([]);
});

it('continues despite unreadable files, and names them', async () => {
  const folder = newFolder();
  const first = open(folder, async () => answer(scores(5, 5)));
  await first.create(request());
  await done(first);
  await first.close();
  mkdirSync(join(folder, 'unreadable.jsonl'));
  writeFileSync(join(folder, 'damaged.jsonl'), 'no JSON\n{"type":"running","on":true}\n');
  // The server died while this study was being created, so no client knows of it.
  writeFileSync(join(folder, 'begun.jsonl'), '{"type":"crea');
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const ratings = open(folder, async () => answer(scores(5, 5)), { shared: true });
  await ratings.resume();
  await ratings.resume();
  const names = ['damaged.jsonl', 'unreadable.jsonl'].map((name) =>
    expect.stringContaining(join(folder, name)),
  );
  expect(log.mock.calls.map(([, message]) => message).sort()).toEqual(names);
  log.mockRestore();
  const { ratings: listed, problems } = await ratings.list();
  expect(listed).toMatchObject([{ id: 'study', status: 'done' }]);
  expect(problems.map(({ message }) => message).sort()).toEqual(names);
  await expect(ratings.get('damaged')).rejects.toMatchObject({ code: 'rating_unreadable' });
  rmSync(join(folder, 'damaged.jsonl'));
  expect((await ratings.list()).problems).toHaveLength(1);
});

it('starts although a study that was running cannot be locked, and says so', async () => {
  const folder = newFolder();
  const first = open(folder, (_, { signal }) => {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await first.create(request());
  await first.close();
  mkdirSync(join(folder, 'study.lock'));
  const ratings = open(folder, async () => answer(scores(5, 5)), { shared: true });
  await ratings.resume();
  expect(await ratings.get('study')).toMatchObject({
    rating: { status: 'stopped' },
    failures: [{ error: expect.stringContaining(join(folder, 'study.lock')) }],
  });
});

it('starts although the folder of its files cannot be read, and says so', async () => {
  const folder = join(newFolder(), 'ratings');
  writeFileSync(folder, 'no folder');
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const ratings = open(folder, async () => answer(scores(5, 5)));
  await ratings.resume();
  expect(log).toHaveBeenCalledExactlyOnceWith('Ratings are missing:', expect.stringContaining(folder));
  log.mockRestore();
  expect(await ratings.list()).toMatchObject({ ratings: [], problems: [{ code: 'rating_unreadable' }] });
});

it('stops and says why, if a rating cannot be stored', async () => {
  const folder = newFolder();
  const ratings = open(folder, async () => {
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'no folder any more');
    return answer(scores(5, 5));
  });
  await ratings.create(request());
  await done(ratings);
  expect(await ratings.get('study')).toMatchObject({
    rating: { status: 'stopped', rated: 0 },
    failures: [{ rater: 'one', run_id: 'a' }],
  });
});

it('stops on request where nothing can be stored any more', async () => {
  const folder = newFolder();
  const asked = Promise.withResolvers<void>();
  const ratings = open(folder, (_, { signal }) => {
    asked.resolve();
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  });
  await ratings.create(request());
  await asked.promise;
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, 'no folder any more');
  await expect(ratings.stop('study')).rejects.toThrow();
  expect(await ratings.get('study')).toMatchObject({ rating: { status: 'stopped' } });
});

it('people rate beside the models, and see no scores in the reply', async () => {
  const ratings = open(newFolder(), async () => answer(scores(9, 2)));
  await ratings.create(request());
  await done(ratings);
  const mine = { person: 'Ada', run_id: 'a', scores: { plain: 3, vague: 3 } };
  const reply = await ratings.score('study', mine);
  expect(reply.people).toEqual({ Ada: ['a'] });
  expect(JSON.stringify(reply)).not.toContain('"scores"');
  const { raters, matrix, complete } = await ratings.results('study');
  expect(raters.at(-1)).toEqual({ name: 'Ada', kind: 'person' });
  expect(matrix.at(-1)).toEqual([5.5, null]);
  expect(complete).toBe(1);
  const refused = (more: object) => expect(ratings.score('study', { ...mine, ...more })).rejects.toThrow();
  await refused({ scores: { plain: 3 } });
  await refused({ scores: { plain: 3, vague: 11 } });
  await refused({ run_id: 'c' });
  await refused({ person: 'one' });
  await refused({ person: 'one:latest' });
  await ratings.delete('study');
  await expect(ratings.get('study')).rejects.toMatchObject({ code: 'rating_not_found' });
});

it.each(['constructor', '__proto__'])('a person can be called %s', async (person) => {
  const ratings = open(newFolder(), async () => answer(scores(9, 2)));
  await ratings.create(request({ models: [] }));
  await ratings.score('study', { person, run_id: 'a', scores: { plain: 3, vague: 3 } });
  const { people } = await ratings.get('study');
  expect(Object.entries(people)).toEqual([[person, ['a']]]);
});

it.each([
  ['name: x', 'scale'],
  ['- a', 'file'],
  ['a: [', 'Flow sequence'],
  [JSON.stringify({ ...questionnaire, scale: { ...questionnaire.scale, max: 1 } }), 'scale.max'],
  [
    JSON.stringify({ ...questionnaire, items: [questionnaire.items[0], questionnaire.items[0]] }),
    'items.1.id: Another item has this ID: number 1.',
  ],
])('refuses the questionnaire %s with the place', async (text, place) => {
  const ratings = open(newFolder(), async () => answer(''));
  const asked = request({ questionnaire: undefined, text });
  await expect(ratings.create(asked)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(place),
  });
});

it('reports every problem of a questionnaire file with its line', async () => {
  const ratings = open(newFolder(), async () => answer(''));
  const text = [
    'name: ""',
    'scale: {min: 5, max: 1, min_label: low, max_label: high}',
    'items:',
    '  - {id: Plain, text: Plain.}',
    '  - {id: vague, text: Vague., weight: 2}',
  ].join('\n');
  await expect(ratings.create(request({ questionnaire: undefined, text }))).rejects.toThrow(
    [
      'The questionnaire cannot be used:',
      'line 1: name: must not be empty.',
      'line 2: scale.max: must be greater than min, by at most 100.',
      'line 4: items.0.id: An ID must consist of lowercase letters, digits and underscores.',
      'line 5: items.1.weight: unknown field.',
    ].join('\n'),
  );
});

it('ships a questionnaire for experience reports on ten steps', async () => {
  const ratings = open(newFolder(), async () => answer(''));
  const { study } = await ratings.create(
    request({ questionnaire: undefined, shipped: 'experience', models: [] }),
  );
  expect(study.questionnaire).toMatchObject({ scale: { min: 1, max: 10 } });
  expect((await ratings.list()).shipped.map(({ name }) => name)).toEqual(['experience']);
  await expect(ratings.create(request({ questionnaire: undefined, shipped: 'clarity' }))).rejects.toThrow(
    'No questionnaire "clarity" ships with Loupe, only experience.',
  );
});

it('refuses a model that is named twice, under any of its names', () => {
  expect(() => request({ models: ['qwen3', 'qwen3:latest'] })).toThrow('A model is named twice.');
});
