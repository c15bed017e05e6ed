import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { setGate } from '../http/current-gate.ts';
import { testGate } from '../http/test-gate.ts';
import { openTestService, scripted, type TestService } from '../testing/test-service.ts';
import { setRunService } from './current-service.ts';
import { isNewcomer } from './is-newcomer.ts';

let test: TestService;
let cookies: string;

beforeAll(async () => {
  test = await openTestService(scripted([]));
  setRunService(test.service);
  const gate = testGate({ token: 'operator-token-0123456789abcdef', port: 4120 });
  setGate(gate);
  const { cookie } = await gate.signIns.add({ label: 'Firefox on Linux' });
  cookies = `theme=dark; ${gate.cookieName}=${cookie}`;
});
afterAll(() => test.dispose());

it('tells nothing to a browser that is not signed in', async () => {
  expect(await isNewcomer(undefined)).toBe(false);
  expect(await isNewcomer('theme=dark; loupe_4120=guessed')).toBe(false);
});

it('says no if the store cannot be read', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(test.service.stored, 'list').mockRejectedValueOnce(new Error('The database does not answer'));
  expect(await isNewcomer(cookies)).toBe(false);
  expect(warn).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
});

it('does not wait for a store that does not answer', async () => {
  vi.spyOn(test.service.stored, 'list').mockReturnValueOnce(new Promise(() => undefined));
  expect(await isNewcomer(cookies, { maxWaitMs: 1 })).toBe(false);
  vi.restoreAllMocks();
});

it('looks for runs that the first page lists, so archived ones do not count', async () => {
  expect(await isNewcomer(cookies)).toBe(true);
  const id = await test.start();
  expect(await isNewcomer(cookies)).toBe(false);
  await test.service.organizer.annotate([id], { archived: true });
  expect(await isNewcomer(cookies)).toBe(true);
});
