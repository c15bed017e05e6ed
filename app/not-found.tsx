import { MessagePage } from '../components/shell/message-page.tsx';
import { buttonClass } from '../components/ui/button.tsx';
import { Link } from '../components/ui/link.tsx';

export default function NotFound() {
  return (
    <MessagePage title="Page not found" message="There is no page at this address.">
      <Link href="/" className={buttonClass('plain', 'md', 'mt-6')}>
        All runs
      </Link>
    </MessagePage>
  );
}
