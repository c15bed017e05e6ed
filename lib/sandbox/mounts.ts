/** A mounted file system: where, as the kernel lists it, and its type. */
export interface Mount {
  /** Absolute path, escaped like `escapedMountPoint`. */
  point: string;
  type: string;
}

/**
 * Parses the kernel's list of mounts (`/proc/self/mountinfo`).
 *
 * @see https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
export function readMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const point = before.split(' ')[4];
    const type = after.split(' ')[0];
    return point && type ? [{ point, type }] : [];
  });
}

/** Escapes a path like the kernel does in mount lists. */
export function escapedMountPoint(path: string): string {
  return path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** File systems on disks of this machine or in its memory. */
const LOCAL_TYPES: ReadonlySet<string> = new Set([
  'bcachefs',
  'btrfs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'overlay',
  'ramfs',
  'rootfs',
  'tmpfs',
  'xfs',
  'zfs',
]);

/**
 * Whether the system can resolve every path in a folder without asking another machine or program: only local file
 * systems are mounted on the way to it, and none is mounted inside it. Network file systems, FUSE and automount points
 * can make a call wait for minutes.
 *
 * @param folder absolute real path
 */
export function isOnLocalDisk(folder: string, mounts: readonly Mount[]): boolean {
  const path = `${escapedMountPoint(folder)}/`;
  const above = mounts.filter(({ point }) => path.startsWith(point === '/' ? '/' : `${point}/`));
  const inside = mounts.some(({ point }) => point.startsWith(path));
  return above.length > 0 && !inside && above.every(({ type }) => LOCAL_TYPES.has(type));
}
