import { chmod, link, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_KEPT_BYTES } from '../events/limits.ts';
import { applyEdits, readEdits } from '../events/text-edits.ts';
import { editProblemText } from './edit-problem.ts';
import { type ToolsUnderTest, toolsUnderTest } from './under-test.ts';

const change = (old_text: string, new_text: string, more = {}) => ({ old_text, new_text, ...more });

/** Tools in a workspace with one file `f`. */
async function withFile(content: string | Buffer): Promise<ToolsUnderTest & { held(): Promise<string> }> {
  const tools = await toolsUnderTest();
  const path = join(tools.workspace, 'f');
  await writeFile(path, content);
  return Object.assign(tools, { held: () => readFile(path, 'utf8') });
}

it('replaces parts of a file and says where [O17]', async () => {
  await using tools = await withFile('one\ntwo\nthree\ntwo\n');
  const edits = [change('one', 'ONE'), change('two', '2', { replace_all: true }), change('three\n', '')];
  expect(await tools.call('edit_file', { path: './f', edits })).toEqual({
    success: true,
    tool: 'edit_file',
    output: {
      path: './f',
      replacements: 4,
      edited_lines: [1, 2, 3],
      bytes_written: 8,
      lines: 3,
    },
  });
  expect(await tools.held()).toBe('ONE\n2\n2\n');
});

it('keeps line endings, the byte order mark and permissions, and breaks hard links like write_file', async () => {
  await using tools = await withFile('\ufeffone\r\ntwo\r\n');
  await chmod(join(tools.workspace, 'f'), 0o750);
  await link(join(tools.workspace, 'f'), join(tools.workspace, 'other'));
  await tools.output('edit_file', { path: 'f', edits: [change('one\ntwo', 'one\n1.5\ntwo')] });
  expect(await tools.held()).toBe('\ufeffone\r\n1.5\r\ntwo\r\n');
  expect((await stat(join(tools.workspace, 'f'))).mode & 0o777).toBe(0o750);
  expect(await readFile(join(tools.workspace, 'other'), 'utf8')).toBe('\ufeffone\r\ntwo\r\n');
  expect((await readdir(tools.workspace)).toSorted()).toEqual(['f', 'other']);
});

it('makes all edits of a call, or none [O17]', async () => {
  await using tools = await withFile('one two\n');
  expect(await tools.error('edit_file', { path: 'f', edits: [change('one', '1'), change('tow', '2')] })).toBe(
    'Edit 2: old_text was not found. Read the file, and copy the text exactly. None of the edits was made.',
  );
  expect(await tools.held()).toBe('one two\n');
});

it('refuses edits that fit hundreds of thousands of places, which would take all memory', async () => {
  await using tools = await withFile('a'.repeat(150_000));
  const all = { replace_all: true };
  const edits = [change('a', 'b', all), change('b', 'a', all)];
  expect(await tools.error('edit_file', { path: 'f', edits })).toBe(
    'Edit 2: old_text occurs too often. Make it longer, or replace the text with a command. None of the edits was made.',
  );
  expect(await tools.output('edit_file', { path: 'f', edits: edits.slice(0, 1) })).toMatchObject({
    replacements: 150_000,
  });
});

it('suggests the lines that were probably meant', async () => {
  await using tools = await withFile(
    'function add(a, b) {\n\treturn a + b;\n}\n\nconst total = add(1, 2);\n',
  );
  const refusal = (old_text: string) =>
    tools.error('edit_file', { path: 'f', edits: [change(old_text, 'x')] });
  expect(await refusal('function add(a,  b) {\n    return a + b;\n}')).toBe(
    'old_text was not found. Lines 1 to 3 differ from it only in whitespace: "function add(a, b) {\\n\\treturn a + b;\\n}". Copy it exactly. Nothing was changed.',
  );
  expect(await refusal('const total = add(1, 3);')).toBe(
    'old_text was not found. The closest line is 5: "const total = add(1, 2);". Copy the text exactly. Nothing was changed.',
  );
  expect(await refusal('class Unrelated {}')).toContain('Read the file, and copy the text exactly.');
});

it('does not ask for the line of places that are in one line', async () => {
  await using tools = await withFile('x x\ny\nx\n');
  const refusal = (more: object) => tools.error('edit_file', { path: 'f', edits: [change('x', 'z', more)] });
  expect(await refusal({})).toContain('3 times, in lines 1, 3.');
  expect(await refusal({ line: 1 })).toBe(
    'old_text occurs more than once in line 1. Add text around it. Nothing was changed.',
  );
  await writeFile(join(tools.workspace, 'f'), 'x x\n');
  expect(await refusal({})).toBe(
    'old_text occurs 2 times in line 1. Add text around it, or set replace_all. Nothing was changed.',
  );
});

it('names the current lines of the file, whatever earlier edits would have moved', async () => {
  await using tools = await withFile('a\nx\na\ny\nx\nsum = 1\n');
  const before = [change('a', '1\n2\n3', { replace_all: true }), change('y\n', '')];
  const refusal = (edit: ReturnType<typeof change>) =>
    tools.error('edit_file', { path: 'f', edits: [...before, edit] });
  expect(await refusal(change('x', 'z'))).toContain('Edit 3: old_text occurs 2 times, in lines 2, 5.');
  expect(await refusal(change('sum = 7', 'z'))).toContain(
    'The closest line, counted after the edits before, is 9: "sum = 1".',
  );
  await tools.output('edit_file', { path: 'f', edits: [...before, change('x', 'z', { line: 2 })] });
  expect(await tools.held()).toBe('1\n2\n3\nz\n1\n2\n3\nx\nsum = 1\n');
});

it('names the lines of a text that is there several times', async () => {
  await using tools = await withFile('x\ny\nx\n');
  const refusal = (more: object) => tools.error('edit_file', { path: 'f', edits: [change('x', 'z', more)] });
  expect(await refusal({})).toBe(
    'old_text occurs 2 times, in lines 1, 3. Add text around it, give the line of one of them, or set replace_all. Nothing was changed.',
  );
  expect(await refusal({ line: 2 })).toContain('in lines 1, 3 are equally close to line.');
  expect(await refusal({ line: 1, replace_all: true })).toContain('Give only one of the two.');
  await tools.output('edit_file', { path: 'f', edits: [change('x', 'z', { line: 3, replace_all: null })] });
  expect(await tools.held()).toBe('x\ny\nz\n');
  await writeFile(join(tools.workspace, 'f'), 'x\n'.repeat(100));
  expect(await refusal({})).toContain('100 times, in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ….');
});

it('explains missing arguments with the fields of an edit [O4]', async () => {
  await using tools = await withFile('x');
  expect(await tools.error('edit_file', { path: 'f', old_text: 'x', new_text: 'y' })).toBe(
    '"edits" is missing; it is required (an array). Usage: edit_file(path: string, edits: [{old_text: string, new_text: string, replace_all?: boolean, line?: integer}])',
  );
  expect(await tools.error('edit_file', { path: 'f', edits: [{ old_text: 'x' }] })).toContain(
    '"edits.0.new_text" is missing',
  );
  expect(await tools.error('edit_file', { path: 'f', edits: [] })).toContain('at least 1 item long');
  expect(await tools.error('edit_file', { path: 'f', edits: [change('', 'y')] })).toContain(
    'old_text is empty.',
  );
  expect(await tools.error('edit_file', { path: 'f', edits: [change('x', 'x')] })).toContain('are the same.');
});

it('edits only text files that exist, inside the workspace', async () => {
  await using tools = await withFile('x');
  const refusal = (path: string) => tools.error('edit_file', { path, edits: [change('x', 'y')] });
  await writeFile(join(tools.workspace, 'notes.md'), 'x');
  expect(await refusal('note.md')).toContain('Did you mean "notes.md"?');
  await writeFile(join(tools.workspace, 'raw'), Buffer.from([0x78, 0, 1]));
  expect(await refusal('raw')).toBe('"raw" is not a UTF-8 text file (3 bytes) and cannot be edited.');
  await writeFile(join(tools.workspace, 'latin1'), Buffer.from([0x78, 0xe9]));
  expect(await refusal('latin1')).toContain('not a UTF-8 text file');
  await writeFile(join(tools.workspace, 'large'), '');
  await truncate(join(tools.workspace, 'large'), MAX_KEPT_BYTES + 1);
  expect(await refusal('large')).toContain(`only files of up to ${MAX_KEPT_BYTES} bytes are edited`);
  await mkdir(join(tools.workspace, 'folder'));
  expect(await refusal('folder')).toContain('folder');
  await symlink('/etc/hostname', join(tools.workspace, 'link'));
  for (const path of ['link', '../x', '/etc/hostname', '.git/config']) await refusal(path);
  expect(await tools.held()).toBe('x');
});

it('does not edit a file that changed after its content was logged', async () => {
  await using tools = await withFile('logged');
  const call = { path: 'f', edits: [change('logged', 'new')] };
  expect(await tools.box.fileBefore?.({ name: 'edit_file', arguments: call })).toEqual({
    path: 'f',
    before: { kind: 'text', text: 'logged' },
  });
  await writeFile(join(tools.workspace, 'f'), 'logged by hand');
  expect(await tools.error('edit_file', call)).toContain('Another program has just changed "f".');
  expect(await tools.held()).toBe('logged by hand');
  await tools.output('edit_file', call);
  expect(await tools.held()).toBe('new by hand');
  expect(await tools.box.fileBefore?.({ name: 'edit_file', arguments: call })).toMatchObject({
    before: { kind: 'unchanged' },
  });
});

it('is stopped before it changes anything', async () => {
  await using tools = await withFile('x');
  const stopped = AbortSignal.abort();
  const edits = [change('x', 'y')];
  expect(await tools.call('edit_file', { path: 'f', edits }, stopped)).toMatchObject({ success: false });
  expect(await tools.held()).toBe('x');
});

it('warns about files that other programs run', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'package.json'), '{}');
  const call = { path: 'package.json', edits: [change('{}', '{"scripts":{}}')] };
  expect(await tools.output('edit_file', call)).toMatchObject({ auto_run_files: ['package.json'] });
});

const piece = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\r\n', 'ä'), maxLength: 4 });
const edit = fc.record(
  { old_text: piece, new_text: piece, replace_all: fc.boolean(), line: fc.integer({ min: 1, max: 5 }) },
  { requiredKeys: ['old_text', 'new_text'] },
);

it('leaves the file with all edits made if it succeeds, and byte for byte as it was if not [O17]', async () => {
  await using tools = await withFile('');
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\r\n', 'ä'), maxLength: 16 }),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      async (before, edits) => {
        await writeFile(join(tools.workspace, 'f'), before);
        const { success } = await tools.call('edit_file', { path: 'f', edits });
        const outcome = applyEdits(before, readEdits(edits) ?? []);
        expect(success).toBe(outcome.ok);
        expect(await tools.held()).toBe(outcome.ok ? outcome.text : before);
        expect(await readdir(tools.workspace)).toEqual(['f']);
      },
    ),
    { numRuns: 150 },
  );
});

it('looks for the closest lines in linear time: comparing at each place would take hours here', () => {
  const text = 'a'.repeat(2_000_000);
  const oldText = `${'a'.repeat(500_000)}c${'a'.repeat(500_000)}`;
  expect(editProblemText({ kind: 'not_found', index: 0, text, oldText }, 1)).toContain('was not found');
});
