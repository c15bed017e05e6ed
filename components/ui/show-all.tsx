/** Shows all of a text that is cut, or less of it again. */
export function ShowAll({ whole, onChange }: { whole: boolean; onChange: (whole: boolean) => void }) {
  return (
    <button
      type="button"
      aria-expanded={whole}
      onClick={() => onChange(!whole)}
      className="reach font-sans text-xs font-medium whitespace-nowrap text-brass underline-offset-2 hover:underline print:hidden"
    >
      {whole ? 'Show less' : 'Show all'}
    </button>
  );
}
