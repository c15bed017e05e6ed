import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createRunRequest } from '../api/create-run.ts';
import { progressEvent } from '../events/progress.ts';
import { STATUS } from './http-error.ts';

// Scripts are written from docs/api.md, so it must be complete.
const root = resolve(import.meta.dirname, '../..');
const documentation = readFileSync(join(root, 'docs/api.md'), 'utf8');

const api = join(root, 'app/api');
const routes = readdirSync(api, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name === 'route.ts')
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => !file.includes('[...path]'))
  .flatMap((file) => {
    const path = `/api/${relative(api, file).replace(/\/?route\.ts$/, '')}`;
    const methods = readFileSync(file, 'utf8').matchAll(
      /^export (?:async )?function (GET|POST|PUT|PATCH|DELETE)\b/gm,
    );
    return [...methods].map(([, method]) => `${method} ${path.replaceAll(/\[(\w*?)Id\]|\[(\w+)\]/g, '{}')}`);
  });

/** Endpoints in the documentation, such as `POST /api/runs/{id}/stop`, with parameter names removed. */
const documented = [
  ...documentation.matchAll(/(GET|POST|PUT|PATCH|DELETE) +(\/api[\w/{}-]*(?:\.\w+)?)/g),
].map(([, method, path = '']) => `${method} ${path.replaceAll(/\{\w*\}/g, '{}')}`);

it.each(routes)('docs/api.md documents %s', (route) => {
  expect(documented).toContain(route);
});

it('docs/api.md documents no path that does not exist', () => {
  expect([...new Set(documented)].filter((route) => !routes.includes(route))).toEqual([]);
});

it('docs/api.md names every error code with its status', () => {
  const rows = [...documentation.matchAll(/^\| ([\d, ]+) \|(.+)\|$/gm)];
  const missing = Object.entries(STATUS).filter(
    ([code, status]) =>
      !rows.some(
        ([, statuses = '', codes = '']) => statuses.includes(String(status)) && codes.includes(`\`${code}\``),
      ),
  );
  expect(missing).toEqual([]);
});

it('docs/api.md names every field of a new run', () => {
  const fields = Object.keys(
    z.toJSONSchema(createRunRequest, { io: 'input', unrepresentable: 'any' }).properties ?? {},
  );
  const missing = fields.filter((field) => !documentation.includes(`\`${field}\``));
  expect(missing).toEqual([]);
});

it('docs/api.md names every progress event with its fields', () => {
  const section = documentation.slice(documentation.indexOf('### Progress events'));
  const missing = progressEvent.options.flatMap(({ shape }) =>
    [shape.type.value, ...Object.keys(shape)].filter((name) => !new RegExp(`\`${name}\\??\``).test(section)),
  );
  expect(missing).toEqual([]);
});
