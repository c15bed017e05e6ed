import type { DownloadLinkReply } from '../api/sign-in.ts';
import { postJson } from './api.ts';

/**
 * Downloads a path of our server: as a navigation, which streams files of any size, but cannot carry the key, so the path
 * gets a ticket first.
 *
 * @throws {ApiError}
 */
export async function download(path: string): Promise<void> {
  const { path: signed } = await postJson<DownloadLinkReply>('/api/download-links', { path });
  const link = document.createElement('a');
  link.href = signed;
  link.download = '';
  link.click();
}
