import '../styles.css';
import { LucideProvider } from 'lucide-react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Toasts } from '../ui/toast.tsx';
import { TerminalPage } from './terminal-page.tsx';

/** A terminal in a page of its own (GET /site/{fqdn}/shell_html). The service says in the page which one. */
const setting = document.querySelector<HTMLMetaElement>('meta[name="siteyard-terminal"]')?.content;
const root = document.getElementById('root');
if (!root || setting === undefined) throw new Error('terminal.html has no #root or no setting');
const { fqdn, for_stage: forStage, name, ticket } = JSON.parse(setting);
document.title = `${name} · Terminal`;

createRoot(root).render(
  <StrictMode>
    <LucideProvider size={16} strokeWidth={1.75} className="shrink-0">
      <TerminalPage name={name} place={{ fqdn, forStage, ticket }} />
      <Toasts />
    </LucideProvider>
  </StrictMode>,
);
