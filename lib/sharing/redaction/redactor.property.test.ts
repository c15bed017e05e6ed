import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { PLANTED_SECRETS, plantedLog } from '../../testing/planted-secrets.ts';
import { createRedactor } from './redactor.ts';
import { redactLog } from './under-test.ts';

const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PLANTED_SECRETS.map(({ text }) => text)) },
  { weight: 2, arbitrary: fc.constantFrom(...PLANTED_SECRETS.map(({ secret }) => secret)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'password',
      '=',
      ': ',
      '"',
      "'",
      '\\"',
      '\\n',
      '\n',
      ' ',
      '://',
      '@',
      '/',
      '/home/',
      '/root',
      '.',
      '.local',
      'eyJ',
      '-',
      '--',
      'token',
      'key',
      'secret',
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      ':',
      'a',
      '1',
      '‹email 1›',
      '‹',
      '›',
      '10.',
      '0',
      'fd00:',
      'Q~',
      '%40',
      '-u ',
      'AKIA',
      'sk-',
      '_',
      '$',
      '(',
      '\\',
      'Cookie: ',
      'Authorization: ',
      '; ',
      '%',
      '%2F',
      '%E2',
      '&#64;',
      '\\u0040',
      'C:\\Users\\',
      '/mnt/c',
      ' is ',
      '|',
      '<password>',
      'name',
      'value',
      '**',
      'mysql -p',
      ' -p ',
      'ü',
      'jdbc:oracle:thin:',
      'Private-Lines: 1',
      'AKIAJ7Q2ZPLMNX4RTYW8',
      Buffer.from('ada@analytical.org and more').toString('base64'),
      'A'.repeat(61),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
const text = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''));

it('is idempotent on any text', () => {
  fc.assert(
    fc.property(text, (value) => {
      const once = createRedactor().text(value);
      expect(createRedactor().text(once)).toBe(once);
    }),
    { numRuns: 3000 },
  );
});

it('is idempotent on a whole log', () => {
  const once = redactLog(plantedLog().events).events;
  expect(redactLog(once).events).toEqual(once);
});

it('takes linear time for any text', () => {
  fc.assert(
    fc.property(fc.array(fragment, { minLength: 1, maxLength: 4 }), (parts) => {
      const unit = parts.join('');
      if (unit === '') return;
      const value = unit.repeat(Math.ceil(200_000 / unit.length));
      // 200 kB of a repeated fragment: a quadratic rule would take minutes.
      const redactor = createRedactor({ environment: ['aaaaaaaaaaaaaaaaaaab'] });
      expect(cpuMs(() => redactor.text(value))).toBeLessThan(10_000);
    }),
    { numRuns: 150 },
  );
}, 600_000);
