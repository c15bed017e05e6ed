import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { shareRequest } from '../../api/share.ts';
import type { ShareSettings } from '../../config/share-settings.ts';
import { openTestService, scripted, type TestService } from '../../testing/test-service.ts';
import { Shares } from '../links/shares.ts';
import { reachOf } from './share-address.ts';
import { Sharing } from './sharing.ts';

const loopback: ShareSettings = { host: '127.0.0.1', port: 0, url: undefined, clientHeader: undefined };
const draft = shareRequest.parse({});

let test: TestService;
const opened: Sharing[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const sharing of opened.splice(0)) await sharing.close();
  for (const server of servers.splice(0)) server.close();
  await test?.dispose();
});

async function endedRun(): Promise<string> {
  test = await openTestService(scripted([]));
  const id = await test.start();
  await vi.waitFor(async () => expect((await test.service.stored.get(id)).run.phase).toBe('ended'), {
    timeout: 30_000,
  });
  return id;
}

function open(settings: ShareSettings = loopback): Sharing {
  const shares = new Shares({ store: test.store, now: Date.now, redaction: {} });
  const newServer = () => createServer((_, response) => response.end('shared'));
  const sharing = new Sharing({ shares, settings, newServer, addresses: () => ['127.0.0.2', '127.0.0.3'] });
  opened.push(sharing);
  return sharing;
}

it('does not listen before the first link, not even for a preview [D16]', async () => {
  const id = await endedRun();
  const sharing = open();
  await sharing.resume();
  await sharing.preview(id, draft);
  expect((await sharing.list()).reach).toMatchObject({ listening: false, from: 'loopback' });
  const { share, reach } = await sharing.create(id, draft);
  expect(reach.listening).toBe(true);
  expect(share.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\/[\w-]{22}$/);
  expect(await (await fetch(share.url ?? '')).text()).toBe('shared');
});

it('listens again after a restart while a link is valid, but no longer knows its URL', async () => {
  const id = await endedRun();
  const first = open();
  const { share } = await first.create(id, draft);
  expect((await first.list()).shares[0]?.url).toBe(share.url);
  await first.close();

  const second = open();
  await second.resume();
  const { shares, reach } = await second.list();
  expect(reach.listening).toBe(true);
  expect(shares).toMatchObject([{ id: share.id, status: 'active' }]);
  expect(shares[0]?.url).toBeUndefined();
  await second.revoke(share.id);
  await second.close();

  const third = open();
  await third.resume();
  expect(third.reach().listening).toBe(false);
});

it('explains an address conflict and the setting to change, and retries', async () => {
  const id = await endedRun();
  const other = createServer();
  servers.push(other);
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const sharing = open({ ...loopback, port });
  await expect(sharing.create(id, draft)).rejects.toMatchObject({
    code: 'share_cannot_listen',
    hint: expect.stringContaining('LOUPE_SHARE_BIND'),
  });
  expect(sharing.reach()).toMatchObject({
    listening: false,
    problem: { message: expect.stringContaining(`${port}`) },
  });
  expect((await sharing.list()).shares).toEqual([]);
  other.close();
  await once(other, 'close');
  expect((await sharing.create(id, draft)).reach.problem).toBeUndefined();
});

// On Linux, every address 127.x.x.x belongs to the machine, and traffic to it never leaves the machine.
it.runIf(process.platform === 'linux')(
  'serves links on an address that a person chose too, until it is taken back',
  async () => {
    const id = await endedRun();
    const sharing = open();
    await expect(sharing.openToNetwork('192.0.2.1')).rejects.toMatchObject({ code: 'not_an_own_address' });
    expect(sharing.reach().listening).toBe(false);
    const { share } = await sharing.create(id, draft);
    const reach = await sharing.openToNetwork('127.0.0.2');
    expect(reach).toMatchObject({ from: 'network', network: { open: '127.0.0.2' } });
    const url = (await sharing.list()).shares[0]?.url ?? '';
    expect(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/s\//);
    expect(await (await fetch(url)).text()).toBe('shared');
    expect(await (await fetch(share.url ?? '')).text()).toBe('shared');
    expect(await sharing.closeToNetwork()).toMatchObject({
      from: 'loopback',
      network: { addresses: ['127.0.0.2', '127.0.0.3'] },
    });
    await expect(fetch(url)).rejects.toThrow();
    expect(await (await fetch(share.url ?? '')).text()).toBe('shared');
  },
);

it.runIf(process.platform === 'linux')(
  'of requests at the same time, the last decides who can reach links, and nothing else stays open',
  async () => {
    const id = await endedRun();
    const sharing = open();
    const { share } = await sharing.create(id, draft);
    const at = (address: string) => fetch((share.url ?? '').replace('127.0.0.1', address));
    await Promise.all([
      sharing.openToNetwork('127.0.0.2'),
      sharing.openToNetwork('127.0.0.2'),
      sharing.openToNetwork('127.0.0.3'),
    ]);
    expect(sharing.reach().network?.open).toBe('127.0.0.3');
    await expect(at('127.0.0.2')).rejects.toThrow();
    expect((await at('127.0.0.3')).ok).toBe(true);

    await Promise.all([sharing.openToNetwork('127.0.0.2'), sharing.closeToNetwork()]);
    expect(sharing.reach().network?.open).toBeUndefined();
    await expect(at('127.0.0.2')).rejects.toThrow();
    await expect(at('127.0.0.3')).rejects.toThrow();
  },
);

it('opens nothing to the network where a setting decides', async () => {
  await endedRun();
  const sharing = open({ ...loopback, url: 'https://runs.example.com' });
  expect(sharing.reach().network).toBeUndefined();
  await expect(sharing.openToNetwork('127.0.0.2')).rejects.toMatchObject({ code: 'share_reach_is_set' });
});

it('refuses to revoke an unknown link', async () => {
  await endedRun();
  await expect(open().revoke('nobody')).rejects.toMatchObject({ code: 'share_not_found' });
});

it('builds links from the setting, else from the listener’s address, and reports who can reach them [K-40]', () => {
  const at = { port: 4121 };
  expect(reachOf({ ...loopback, port: 4121 }, undefined)).toEqual({
    listening: false,
    base_url: 'http://127.0.0.1:4121',
    from: 'loopback',
    network: { addresses: [] },
  });
  expect(reachOf({ host: '::1', port: 0, url: undefined, clientHeader: undefined }, at)).toMatchObject({
    base_url: 'http://[::1]:4121',
    from: 'loopback',
  });
  expect(reachOf({ host: '192.0.2.7', port: 0, url: undefined, clientHeader: undefined }, at)).toMatchObject({
    base_url: 'http://192.0.2.7:4121',
    from: 'network',
  });
  expect(reachOf({ host: '0.0.0.0', port: 0, url: undefined, clientHeader: undefined }, at).from).toBe(
    'network',
  );
  expect(
    reachOf({ host: '0.0.0.0', port: 0, url: undefined, clientHeader: undefined }, at).base_url,
  ).not.toContain('0.0.0.0');
  expect(reachOf({ ...loopback, url: 'https://runs.example.com/loupe' }, at)).toMatchObject({
    base_url: 'https://runs.example.com/loupe',
    from: 'given',
  });
});
