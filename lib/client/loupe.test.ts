import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Loupe } from './loupe.ts';

const source = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

it.each(['./loupe.ts', './http.ts', './updates.ts', './progress-emitter.ts'])(
  'documents every public function and method of %s, without `any` [X24]',
  (file) => {
    const text = source(file);
    expect(text).not.toMatch(/:\s*any\b|<any\b|\bas any\b/);
    const declared = [
      ...text.matchAll(
        /(\/\*\*(?:(?!\*\/).)*\*\/\n)?(?:^export (?:async )?function\*? (\w+)|^ {2}(?:async )?\*?([a-z]\w*)(?:<\w+>)?\([^;]*?\): \w[^;]*?\{$)/gms,
      ),
    ].map(([, doc, name, method]) => ({ name: name ?? method, documented: doc !== undefined }));
    expect(declared.length).toBeGreaterThan(0);
    expect(declared.filter(({ documented }) => !documented)).toEqual([]);
  },
);

it('has a usage example and documents its errors [X24]', () => {
  const text = source('./loupe.ts');
  expect(text).toMatch(/@example\n \* const run = await new Loupe\(\)\.start\(/);
  expect(text.match(/@throws \{AppError\}/g)?.length).toBeGreaterThanOrEqual(3);
});

it.each([
  [{ LOUPE_URL: '', LOUPE_PORT: ' 4130 ' }, 'http://127.0.0.1:4130'],
  [{ LOUPE_URL: '', LOUPE_PORT: '' }, 'http://127.0.0.1:4120'],
  [{ LOUPE_URL: 'http://127.0.0.1:4140/', LOUPE_PORT: '4130' }, 'http://127.0.0.1:4140'],
])('reads its address from %o as the server reads its settings: an empty one is unset', (env, url) => {
  expect(new Loupe({ env, token: 'a-token-of-the-tests-0123456789' }).url).toBe(url);
});

it.each(['', '.', '..'])(
  'knows that "%s" is not the ID of a run, instead of asking another path',
  async (id) => {
    const run = new Loupe({ url: 'http://127.0.0.1:1', token: 'a-token-of-the-tests-0123456789' }).run(id);
    const missing = { code: 'run_not_found', message: `There is no run "${id}".` };
    await expect(run.summary()).rejects.toMatchObject(missing);
    await expect(run.stop()).rejects.toMatchObject(missing);
    await expect(run.follow()).rejects.toMatchObject(missing);
  },
);
