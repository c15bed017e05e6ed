/** A call that writes a small, separate file; scenarios fill `{{n}}` with the number of the round. */
export function writeCall(number: number) {
  return {
    name: 'write_file',
    arguments: { path: `file-{{n}}-${number}.txt`, content: 'A line of text.\n' },
  };
}
