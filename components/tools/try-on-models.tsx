import { Link } from '../ui/link.tsx';

/** A link to the page where models are asked to call a server's tools. */
export function TryOnModels({ server, label }: { server: string; label: string }) {
  return (
    <p className="mt-3 text-sm">
      <Link
        href={`/tools/checks?server=${encodeURIComponent(server)}`}
        className="reach text-brass underline decoration-brass-line underline-offset-2"
      >
        {label}
      </Link>
    </p>
  );
}
