import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createRunRequest } from '../api/create-run.ts';
import { STATUS } from './http-error.ts';

// docs/api.md is what scripts are written by: it must name what there is.
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

/** `POST /api/runs/{id}/stop` as the documentation writes it, whatever it calls its parameters. */
const documented = [
  ...documentation.matchAll(/(GET|POST|PUT|PATCH|DELETE) +(\/api[\w/{}-]*(?:\.\w+)?)/g),
].map(([, method, path = '']) => `${method} ${path.replaceAll(/\{\w*\}/g, '{}')}`);

it.each(routes)('docs/api.md knows %s', (route) => {
  expect(documented).toContain(route);
});

it('docs/api.md names no path that is not there', () => {
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
