'use client';

import { DownloadLink } from '../ui/download-link.tsx';
import { Menu, menuItem } from '../ui/menu.tsx';

const FILES = [
  { label: 'Report (HTML)', query: 'export?format=html' },
  { label: 'Results (CSV)', query: 'results?format=csv' },
  { label: 'Results (JSON Lines)', query: 'results' },
  { label: 'Plan (YAML)', query: 'export?format=plan' },
  { label: 'Everything, with all logs (zip)', query: 'export?format=bundle' },
] as const;

/** The files of an experiment. */
export function ExportMenu({ path }: { path: string }) {
  return (
    <Menu label="Export">
      {FILES.map(({ label, query }) => (
        <DownloadLink key={query} className={menuItem} href={`${path}/${query}`}>
          {label}
        </DownloadLink>
      ))}
    </Menu>
  );
}
