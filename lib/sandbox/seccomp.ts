/**
 * A seccomp filter for commands, assembled here to avoid a library: cBPF as the kernel and bwrap's `--seccomp` expect it.
 * It allows everything except the calls below, because builds and tests may use any ordinary call.
 */

// linux/bpf_common.h
const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

// struct seccomp_data: nr, arch, instruction pointer, six 64-bit arguments; both machines are little-endian.
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number) => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (code: number) => 0x00050000 | code;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const CLONE_NEW_ANY = 0x7e020080; // time, mount, cgroup, uts, ipc, user, pid and net namespaces
const SET_ID_BITS = 0o6000;
const O_CREAT_OR_TMPFILE = 0o100 | 0o20000000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const X32_BIT = 0x40000000;

/** Syscall numbers as [x86_64, aarch64]; `undefined` if the architecture lacks the call. */
const CALLS = {
  clone: [56, 220],
  socket: [41, 198],
  ioctl: [16, 29],
  open: [2, undefined],
  openat: [257, 56],
  creat: [85, undefined],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  mknod: [133, undefined],
  mknodat: [259, 33],
} as const;

/** Answered with ENOSYS as on older kernels, so that libraries use their fallback. */
const MISSING: readonly (readonly [number | undefined, number | undefined])[] = [
  [435, 435], // clone3: its flags lie in memory, where a filter can't look
  [437, 437], // openat2: the same for its mode
  [425, 425], // io_uring_setup, _enter, _register: calls that pass no filter
  [426, 426],
  [427, 427],
  [447, 447], // memfd_secret
  [319, 279], // memfd_create: memory that belongs to no process and no sized file system
];

const FORBIDDEN: readonly (readonly [number | undefined, number | undefined])[] = [
  [272, 97], // unshare
  [308, 268], // setns
  [165, 40], // mount
  [166, 39], // umount2
  [155, 41], // pivot_root
  [161, 51], // chroot
  [429, 429], // move_mount
  [428, 428], // open_tree
  [467, 467], // open_tree_attr
  [430, 430], // fsopen
  [431, 431], // fsconfig
  [432, 432], // fsmount
  [433, 433], // fspick
  [442, 442], // mount_setattr
  [101, 117], // ptrace
  [310, 270], // process_vm_readv
  [311, 271], // process_vm_writev
  [440, 440], // process_madvise
  [438, 438], // pidfd_getfd
  [312, 272], // kcmp
  [248, 217], // add_key
  [249, 218], // request_key
  [250, 219], // keyctl
  [321, 280], // bpf
  [298, 241], // perf_event_open
  [323, 282], // userfaultfd
  [246, 104], // kexec_load
  [320, 294], // kexec_file_load
  [175, 105], // init_module
  [313, 273], // finit_module
  [176, 106], // delete_module
  [167, 224], // swapon
  [168, 225], // swapoff
  [169, 142], // reboot
  [163, 89], // acct
  [179, 60], // quotactl
  [443, 443], // quotactl_fd
  [164, 170], // settimeofday
  [227, 112], // clock_settime
  [305, 266], // clock_adjtime
  [172, undefined], // iopl
  [173, undefined], // ioperm
  [154, undefined], // modify_ldt
  [134, undefined], // uselib
  [304, 265], // open_by_handle_at
  [303, 264], // name_to_handle_at
  [300, 262], // fanotify_init
  [103, 116], // syslog
  [153, 58], // vhangup
  [170, 161], // sethostname
  [171, 162], // setdomainname
  [212, 18], // lookup_dcookie
  [180, 42], // nfsservctl
  [279, 239], // move_pages
  [256, 238], // migrate_pages
];

type Step = { label: string } | { code: number; k: number; yes?: string; no?: string };

/**
 * Builds the filter for an architecture; `undefined` if its syscall numbers are unknown.
 *
 * It blocks new namespaces and mounts, tracing and reading other processes, kernel keys, io_uring, module loading,
 * clocks, sockets other than IPv4, IPv6 and route netlink (so no unix sockets and no vsock, which network namespaces
 * don't cover), pushing characters into a terminal, and setuid or setgid files, which another user could run from the
 * workspace. `socketpair` is allowed, because child processes communicate through it.
 *
 * @param machine `process.arch`
 */
export function seccompFilter(machine: string): Buffer | undefined {
  if (machine !== 'x64' && machine !== 'arm64') return undefined;
  const column = machine === 'x64' ? 0 : 1;
  const auditArch = machine === 'x64' ? 0xc000003e : 0xc00000b7;

  const steps: Step[] = [
    { code: LOAD, k: ARCH },
    { code: IF_EQUAL, k: auditArch, no: 'kill' },
    { code: LOAD, k: NUMBER },
  ];
  if (machine === 'x64') steps.push({ code: IF_AT_LEAST, k: X32_BIT, yes: 'kill' });
  const sendTo = (number: number | undefined, label: string) => {
    if (number !== undefined) steps.push({ code: IF_EQUAL, k: number, yes: label });
  };
  for (const call of MISSING) sendTo(call[column], 'missing');
  for (const call of FORBIDDEN) sendTo(call[column], 'forbidden');
  sendTo(CALLS.clone[column], 'clone');
  sendTo(CALLS.socket[column], 'socket');
  sendTo(CALLS.ioctl[column], 'ioctl');
  for (const name of ['chmod', 'fchmod', 'creat', 'mknod'] as const) sendTo(CALLS[name][column], 'mode-1');
  for (const name of ['fchmodat', 'fchmodat2', 'mknodat'] as const) sendTo(CALLS[name][column], 'mode-2');
  sendTo(CALLS.open[column], 'open');
  sendTo(CALLS.openat[column], 'openat');
  steps.push(
    { code: RETURN, k: ALLOW },
    { label: 'clone' },
    { code: LOAD, k: argument(0) },
    { code: IF_ANY_BIT, k: CLONE_NEW_ANY, yes: 'forbidden', no: 'allow' },
    { label: 'socket' },
    { code: LOAD, k: argument(0) },
    { code: IF_EQUAL, k: AF_INET, yes: 'allow' },
    { code: IF_EQUAL, k: AF_INET6, yes: 'allow' },
    { code: IF_EQUAL, k: AF_NETLINK, no: 'no-family' },
    { code: LOAD, k: argument(2) },
    { code: IF_EQUAL, k: NETLINK_ROUTE, yes: 'allow', no: 'no-family' },
    { label: 'ioctl' },
    { code: LOAD, k: argument(1) },
    { code: IF_EQUAL, k: TIOCSTI, yes: 'forbidden' },
    { code: IF_EQUAL, k: TIOCLINUX, yes: 'forbidden', no: 'allow' },
    // The third argument of open is a mode only if the call may create a file; otherwise it is undefined.
    { label: 'open' },
    { code: LOAD, k: argument(1) },
    { code: IF_ANY_BIT, k: O_CREAT_OR_TMPFILE, yes: 'mode-2', no: 'allow' },
    { label: 'openat' },
    { code: LOAD, k: argument(2) },
    { code: IF_ANY_BIT, k: O_CREAT_OR_TMPFILE, yes: 'mode-3', no: 'allow' },
    { label: 'mode-1' },
    { code: LOAD, k: argument(1) },
    { code: IF_ANY_BIT, k: SET_ID_BITS, yes: 'forbidden', no: 'allow' },
    { label: 'mode-2' },
    { code: LOAD, k: argument(2) },
    { code: IF_ANY_BIT, k: SET_ID_BITS, yes: 'forbidden', no: 'allow' },
    { label: 'mode-3' },
    { code: LOAD, k: argument(3) },
    { code: IF_ANY_BIT, k: SET_ID_BITS, yes: 'forbidden', no: 'allow' },
    { label: 'allow' },
    { code: RETURN, k: ALLOW },
    { label: 'forbidden' },
    { code: RETURN, k: errno(EPERM) },
    { label: 'missing' },
    { code: RETURN, k: errno(ENOSYS) },
    { label: 'no-family' },
    { code: RETURN, k: errno(EAFNOSUPPORT) },
    { label: 'kill' },
    { code: RETURN, k: KILL },
  );
  return assemble(steps);
}

/** Resolves labels to cBPF's relative, forward-only, eight-bit jumps; 8 bytes per instruction. */
function assemble(steps: readonly Step[]): Buffer {
  const positions = new Map<string, number>();
  const instructions: Exclude<Step, { label: string }>[] = [];
  for (const step of steps) {
    if ('label' in step) positions.set(step.label, instructions.length);
    else instructions.push(step);
  }
  const program = Buffer.alloc(instructions.length * 8);
  const distance = (label: string | undefined, from: number) => {
    if (label === undefined) return 0;
    const to = positions.get(label);
    const offset = (to ?? -1) - from - 1;
    if (offset < 0 || offset > 255) throw new RangeError(`Jump to ${label} out of reach (${offset})`);
    return offset;
  };
  for (const [index, { code, k, yes, no }] of instructions.entries()) {
    program.writeUInt16LE(code, index * 8);
    program.writeUInt8(distance(yes, index), index * 8 + 2);
    program.writeUInt8(distance(no, index), index * 8 + 3);
    program.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return program;
}
