/** `GET /api/folders`: a folder of this machine and its subfolders. */
export interface FolderReply {
  /** Canonical path. */
  path: string;
  /** The folder that contains it; missing at the root. */
  parent?: string;
  /** The operator's home folder. */
  home: string;
  /** Sorted by name. */
  folders: FolderEntry[];
  /** How many entries are not folders. */
  files: number;
  /** How many folders were left out because their name starts with a dot. */
  hidden: number;
  /** `false` if there may be more folders than are listed. */
  complete: boolean;
  /** Why no run can work in this folder. */
  refused?: { code: string; message: string; hint?: string };
}

export interface FolderEntry {
  name: string;
  path: string;
  /** A link to a folder. */
  link?: true;
}

/** `GET /api/folders/recent`: the folders that people chose for runs, the last used first. */
export interface RecentFoldersReply {
  folders: { path: string; used_at: number }[];
}
