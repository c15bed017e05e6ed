import { readFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/tool-call-formats.md', import.meta.url);

/** One row of the catalogue in docs/tool-call-formats.md. */
export interface CatalogueRow {
  name: string;
  sample: string;
  /** `layer, format`, `malformed` or `no call`. */
  loupe: string;
}

/** Ollama's handling of each sample, by row name, then by parser or tag. */
export type ServerTable = Map<string, Map<string, string>>;

/** The two tables of the page, the single source of samples and facts. */
export function readCatalogue(): { catalogue: CatalogueRow[]; server: ServerTable } {
  const tables = readFileSync(PAGE, 'utf8')
    .split(/\n{2,}/)
    .filter((block) => block.startsWith('| name |'))
    .map((block) => block.trim().split('\n').map(cells));
  const [samples = [], [head = [], , ...facts] = []] = tables;
  const catalogue = samples.slice(2).map(([name = '', , sample = '', loupe = '']) => {
    return { name, sample: uncode(sample), loupe };
  });
  const columns = head.map(uncode);
  const server: ServerTable = new Map(
    facts.map((row) => [row[0] ?? '', new Map(columns.slice(1).map((name, i) => [name, row[i + 1] ?? '']))]),
  );
  return { catalogue, server };
}

function cells(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The original text of a code span in a table cell. */
function uncode(cell: string): string {
  return cell
    .replace(/^(`+) ?([\s\S]*?) ?\1$/, '$2')
    .replaceAll('\\|', '|')
    .replaceAll('⏎', '\n');
}
