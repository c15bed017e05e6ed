import { stringify } from 'yaml';
import { SUITE_FORMAT, type Suite, type SuiteCase, type SuiteFileFormat } from '../api/suite.ts';

/** The text of a suite file, which `readSuiteFile` reads back as the same suite. */
export function writeSuite(suite: Suite, format: SuiteFileFormat): string {
  const header = {
    format: SUITE_FORMAT,
    name: suite.name,
    ...(suite.description === '' ? {} : { description: suite.description }),
  };
  const cases = suite.cases.map(withoutDefaults);
  switch (format) {
    case 'yaml':
      return stringify(
        { ...header, cases },
        // `compat`: PyYAML and others read YAML 1.1, where an unquoted Yes is true.
        { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2', compat: 'yaml-1.1' },
      );
    case 'json':
      return `${JSON.stringify({ ...header, cases }, null, 2)}\n`;
    case 'jsonl':
      return [header, ...cases].map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

function withoutDefaults({ id, input, ...fields }: SuiteCase) {
  return input === '' ? { id, ...fields } : { id, input, ...fields };
}
