import { describe, expect, it } from 'vitest';
import { seccompFilter } from './seccomp.ts';

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EAFNOSUPPORT = 0x00050061;

interface Call {
  arch: number;
  nr: number;
  args?: number[];
}

/** Interprets a filter like the kernel, for the subset of cBPF that it uses. */
function decide(program: Buffer, { arch, nr, args = [] }: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(nr >>> 0, 0);
  data.writeUInt32LE(arch >>> 0, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8);
    const yes = program.readUInt8(at * 8 + 2);
    const no = program.readUInt8(at * 8 + 3);
    const k = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x06) return k;
    else if (code === 0x15) at += accumulator === k ? yes : no;
    else if (code === 0x35) at += accumulator >= k ? yes : no;
    else if (code === 0x45) at += (accumulator & k) !== 0 ? yes : no;
    else throw new Error(`Unknown instruction ${code}`);
  }
  throw new Error('The program has no end');
}

const machines = [
  {
    name: 'x64',
    arch: 0xc000003e,
    nr: {
      read: 0,
      clone: 56,
      socket: 41,
      socketpair: 53,
      ioctl: 16,
      openat: 257,
      unshare: 272,
      ptrace: 101,
      mount: 165,
      fchmodat: 268,
      fchmod: 91,
      mknodat: 259,
      keyctl: 250,
    },
  },
  {
    name: 'arm64',
    arch: 0xc00000b7,
    nr: {
      read: 63,
      clone: 220,
      socket: 198,
      socketpair: 199,
      ioctl: 29,
      openat: 56,
      unshare: 97,
      ptrace: 117,
      mount: 40,
      fchmodat: 53,
      fchmod: 52,
      mknodat: 33,
      keyctl: 219,
    },
  },
];

describe.each(machines)('the system call filter for $name', ({ name, arch, nr }) => {
  const program = seccompFilter(name) ?? Buffer.alloc(0);
  const ask = (call: number, ...args: number[]) => decide(program, { arch, nr: call, args });

  it('allows ordinary calls [O8]', () => {
    expect(ask(nr.read, 0)).toBe(ALLOW);
    expect(ask(nr.socketpair, 1, 1)).toBe(ALLOW);
    expect(ask(nr.clone, 0x01200011)).toBe(ALLOW); // fork
    expect(ask(nr.clone, 0x003d0f00)).toBe(ALLOW); // pthread_create
    expect(ask(nr.openat, 0, 0, 0o101, 0o644)).toBe(ALLOW);
    expect(ask(nr.openat, 0, 0, 0, 0o7777)).toBe(ALLOW); // no file is created, so the mode is garbage
    expect(ask(nr.fchmodat, 0, 0, 0o1777)).toBe(ALLOW);
    expect(ask(nr.ioctl, 0, 0x5401)).toBe(ALLOW);
  });

  it('kills on another architecture [O8]', () => {
    expect(decide(program, { arch: 0x40000003, nr: nr.read })).toBe(KILL);
    if (name === 'x64') expect(ask(0x40000000 + nr.read)).toBe(KILL);
  });

  it('refuses namespaces, mounts, tracing and keys [O8]', () => {
    for (const call of [nr.unshare, nr.ptrace, nr.mount, nr.keyctl]) expect(ask(call)).toBe(EPERM);
    for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(ask(nr.clone, flag | 17)).toBe(EPERM);
    }
  });

  it('reports calls whose arguments it cannot inspect as unknown [O8]', () => {
    for (const call of [435, 437, 425, 426, 427]) expect(ask(call)).toBe(ENOSYS);
  });

  it('allows internet sockets and route netlink only [O8]', () => {
    expect(ask(nr.socket, 2, 1, 0)).toBe(ALLOW);
    expect(ask(nr.socket, 10, 1, 0)).toBe(ALLOW);
    expect(ask(nr.socket, 16, 3, 0)).toBe(ALLOW);
    expect(ask(nr.socket, 16, 3, 12)).toBe(EAFNOSUPPORT);
    for (const family of [1, 15, 17, 29, 38, 40, 44]) expect(ask(nr.socket, family, 1, 0)).toBe(EAFNOSUPPORT);
  });

  it('refuses setuid and setgid files, and typing into a terminal [O8]', () => {
    for (const bit of [0o4000, 0o2000]) {
      expect(ask(nr.fchmod, 3, bit | 0o755)).toBe(EPERM);
      expect(ask(nr.fchmodat, 0, 0, bit | 0o755)).toBe(EPERM);
      expect(ask(nr.mknodat, 0, 0, bit | 0o100644)).toBe(EPERM);
      expect(ask(nr.openat, 0, 0, 0o101, bit | 0o755)).toBe(EPERM);
      expect(ask(452, 0, 0, bit | 0o755)).toBe(EPERM);
    }
    expect(ask(nr.ioctl, 0, 0x5412)).toBe(EPERM);
    expect(ask(nr.ioctl, 0, 0x541c)).toBe(EPERM);
  });
});

it('has no filter for an unknown architecture [O8]', () => {
  expect(seccompFilter('riscv64')).toBeUndefined();
});
