import { expect, it } from 'vitest';
import type { CgroupParents } from './process-cgroup.ts';
import { DEFAULT_LIMITS } from './sandbox.ts';
import { judge } from './trial-command.ts';

const good: Record<string, string> = {
  caps: '0000000000000000',
  nnp: '1',
  filter: '2',
  environ: 'PATH=/usr/bin HOME=/tmp LANG=C.UTF-8',
  interfaces: 'lo',
  usr: 'fixed',
  root: 'fixed',
  workspace: 'writable',
  outside: '',
  userns: 'refused',
  nproc: '128',
  data: String(DEFAULT_LIMITS.processMemoryBytes),
  fsize: String(DEFAULT_LIMITS.fileBytes),
  nofile: '1024',
  cpu: '11',
  tmp: String(DEFAULT_LIMITS.scratchBytes / 1024),
  shm: '65536',
};

const missing = (answers: Record<string, string>, about: Partial<Parameters<typeof judge>[1]> = {}) =>
  judge(new Map(Object.entries({ ...good, ...answers })), {
    durationMs: 30,
    machine: 'x64',
    root: false,
    cgroups: {},
    devices: true,
    ...about,
  })
    .filter(({ holds }) => !holds)
    .map(({ name }) => name);

it('all protections hold if the probe command saw nothing it should not [O8]', () => {
  expect(missing({})).toEqual([]);
});

it.each([
  [{ outside: '/home' }, 'filesystem'],
  [{ usr: 'writable' }, 'filesystem'],
  [{ workspace: 'fixed' }, 'filesystem'],
  [{ interfaces: 'lo eth0' }, 'network'],
  [{ environ: 'PATH=/usr/bin TOKEN=x' }, 'environment'],
  [{ caps: '00000000a80425fb' }, 'capabilities'],
  [{ nnp: '0' }, 'capabilities'],
  [{ filter: '0' }, 'system-calls'],
  [{ userns: 'allowed' }, 'namespaces'],
  [{ nproc: 'unlimited' }, 'process-count'],
  [{ data: 'unlimited' }, 'memory'],
  [{ fsize: '' }, 'file-size'],
  [{ nofile: '1048576' }, 'open-files'],
  [{ cpu: 'unlimited' }, 'cpu-time'],
  [{ tmp: '99999999' }, 'scratch-size'],
])('%j means that %s does not hold [O8]', (answers, name) => {
  expect(missing(answers)).toEqual([name]);
});

it('as root, the number of processes is only limited with control groups [O8]', () => {
  expect(missing({}, { root: true, cgroups: { pids: '/pids', memory: '/memory' } })).toEqual([
    'unprivileged-user',
  ]);
  expect(missing({}, { root: true, cgroups: {} })).toEqual(['process-count', 'unprivileged-user']);
  expect(missing({}, { root: true, cgroups: { pids: '/pids', memory: '/memory' }, devices: false })).toEqual([
    'devices',
    'unprivileged-user',
  ]);
});

it('without answers, no protection holds [O8]', () => {
  const held = judge(new Map(), {
    durationMs: 20_000,
    machine: 'x64',
    root: true,
    cgroups: { pids: '/pids', memory: '/memory' },
    devices: false,
  }).filter(({ holds }) => holds);
  expect(held.map(({ name }) => name)).toEqual([]);
});

it('says whether memory is limited by a control group or watched', () => {
  const memory = (cgroups: CgroupParents) =>
    judge(new Map(Object.entries(good)), {
      durationMs: 30,
      machine: 'x64',
      root: false,
      cgroups,
      devices: true,
    }).find(({ name }) => name === 'memory');
  expect(memory({ memory: '/memory' })?.detail).toContain('by a control group');
  expect(memory({ pids: '/pids' })?.detail).toContain('is watched');
});
