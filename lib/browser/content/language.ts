/** The languages that are highlighted, by their names in highlight.js. */
const LANGUAGES = [
  ...[
    'bash',
    'c',
    'cpp',
    'csharp',
    'css',
    'diff',
    'dockerfile',
    'go',
    'ini',
    'java',
    'javascript',
    'json',
    'kotlin',
  ],
  ...[
    'lua',
    'makefile',
    'markdown',
    'php',
    'python',
    'ruby',
    'rust',
    'sql',
    'swift',
    'typescript',
    'xml',
    'yaml',
  ],
] as const;
export type Language = (typeof LANGUAGES)[number];

/** Other names: file extensions, and what models write after the fence of a code block. */
const ALIASES: Readonly<Record<string, Language>> = {
  ...{
    sh: 'bash',
    zsh: 'bash',
    shell: 'bash',
    console: 'bash',
    env: 'bash',
    h: 'c',
    cc: 'cpp',
    cxx: 'cpp',
    hpp: 'cpp',
  },
  ...{ 'c++': 'cpp', cs: 'csharp', 'c#': 'csharp', scss: 'css', less: 'css', patch: 'diff', golang: 'go' },
  ...{ toml: 'ini', conf: 'ini', cfg: 'ini', properties: 'ini', editorconfig: 'ini', js: 'javascript' },
  ...{ mjs: 'javascript', cjs: 'javascript', jsx: 'javascript', jsonc: 'json', json5: 'json', jsonl: 'json' },
  ...{
    ndjson: 'json',
    ipynb: 'json',
    kt: 'kotlin',
    kts: 'kotlin',
    mk: 'makefile',
    make: 'makefile',
    md: 'markdown',
  },
  ...{
    mdx: 'markdown',
    py: 'python',
    pyi: 'python',
    python3: 'python',
    rb: 'ruby',
    rs: 'rust',
    ts: 'typescript',
  },
  ...{
    tsx: 'typescript',
    mts: 'typescript',
    cts: 'typescript',
    html: 'xml',
    htm: 'xml',
    svg: 'xml',
    vue: 'xml',
  },
  ...{ xhtml: 'xml', plist: 'xml', yml: 'yaml' },
};
const FILE_NAMES: Readonly<Record<string, Language>> = {
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  makefile: 'makefile',
  gnumakefile: 'makefile',
  gemfile: 'ruby',
  rakefile: 'ruby',
  '.bashrc': 'bash',
  '.profile': 'bash',
  '.gitconfig': 'ini',
};

/** The language of that name or alias, if it is highlighted. */
export function languageOfName(name: string): Language | undefined {
  const plain = name.toLowerCase();
  return LANGUAGES.find((language) => language === plain) ?? ownValue(ALIASES, plain);
}

/** The language of a file, by its name. */
export function languageOfPath(path: string): Language | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  return ownValue(FILE_NAMES, name) ?? languageOfName(extensionOf(name));
}

/** The part after the last dot of a name, in lower case. */
export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1 || name.length).toLowerCase();
}

function ownValue<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
