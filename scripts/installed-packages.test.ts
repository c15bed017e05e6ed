import { expect, it } from 'vitest';
import { packagesToInstall } from './installed-packages.mjs';

/** The marker after commands that ran one after the other, each with the hash of the lock file at that time. */
function markerAfter(...commands: { hash: string; omitDev: boolean }[]): string | undefined {
  return commands.reduce<string | undefined>(
    (marker, command) => packagesToInstall({ marker, ...command })?.marker ?? marker,
    undefined,
  );
}
const start = (hash: string) => ({ hash, omitDev: true });
const test = (hash: string) => ({ hash, omitDev: false });

it('the first start installs no development packages', () => {
  expect(packagesToInstall({ marker: undefined, ...start('a') })).toMatchObject({ omitDev: true });
});

it('another start with the same lock file installs nothing', () => {
  expect(packagesToInstall({ marker: markerAfter(start('a')), ...start('a') })).toBeUndefined();
});

it('tests after a start install all packages, once', () => {
  expect(packagesToInstall({ marker: markerAfter(start('a')), ...test('a') })).toMatchObject({
    omitDev: false,
  });
  expect(packagesToInstall({ marker: markerAfter(start('a'), test('a')), ...test('a') })).toBeUndefined();
});

it('a start after tests installs nothing, and keeps development packages when the lock file changes', () => {
  expect(packagesToInstall({ marker: markerAfter(test('a')), ...start('a') })).toBeUndefined();
  expect(packagesToInstall({ marker: markerAfter(test('a')), ...start('b') })).toMatchObject({
    omitDev: false,
  });
});

it('a start after a start installs again when the lock file changes', () => {
  expect(packagesToInstall({ marker: markerAfter(start('a')), ...start('b') })).toMatchObject({
    omitDev: true,
  });
});
