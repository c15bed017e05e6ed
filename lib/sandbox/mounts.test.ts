import { expect, it } from 'vitest';
import { isOnLocalDisk, readMounts } from './mounts.ts';

const MOUNTINFO = `27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
28 27 0:25 / /home rw - autofs systemd-1 rw,fd=58
29 28 0:26 / /home/ada rw - xfs /dev/sdb rw
30 27 0:27 / /srv/net rw - nfs4 server:/export rw
31 30 8:1 / /srv/net/disk rw - ext4 /dev/sdc rw
32 27 0:28 / /srv/my\\040code rw - btrfs /dev/sdd rw
33 32 0:29 / /srv/my\\040code/app/remote rw - fuse.sshfs server: rw
34 27 0:30 / /tmp rw - tmpfs tmpfs rw
35 27 0:31 / /mnt/c rw - 9p C:\\134 rw
`;

const mounts = readMounts(MOUNTINFO);

it('reads mount points and types', () => {
  expect(mounts.slice(0, 2)).toEqual([
    { point: '/', type: 'ext4' },
    { point: '/home', type: 'autofs' },
  ]);
  expect(mounts).toHaveLength(9);
});

it.each([
  ['/srv/code', true, 'a local disk'],
  ['/tmp/ws', true, 'memory'],
  ['/srv/my code/other', true, 'a mount point with a space'],
  ['/srv/my code/app2', true, 'beside a folder with a remote mount'],
  ['/srv/my code/app', false, 'a remote mount inside'],
  ['/srv/net/ws', false, 'a network file system'],
  ['/srv/network', true, 'a name that begins like a mount point'],
  ['/srv/net/disk/ws', false, 'a local disk behind a network file system'],
  ['/home/ada/ws', false, 'behind an automount point'],
  ['/mnt/c/ws', false, 'a file system of another kind'],
])('%s: %s (%s)', (folder, isLocal) => {
  expect(isOnLocalDisk(folder, mounts)).toBe(isLocal);
});

it('treats a folder as remote if no mount is known on the way to it', () => {
  expect(isOnLocalDisk('/srv/code', [])).toBe(false);
});
