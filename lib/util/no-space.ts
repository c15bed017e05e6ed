import { errno } from './errno.ts';

/** Whether a write failed because the disk or the quota is full. */
export function isNoSpace(error: unknown): boolean {
  const code = errno(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
