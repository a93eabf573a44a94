import { type Capability, capability } from '#kernel/capability.ts';
import type { MailSpec } from '#kernel/mail.ts';
import { templateEndpoints } from './endpoints.ts';
import { templateEvents } from './events.ts';
import { templatePages } from './pages.ts';
import { switchRecord, templateRecord } from './record.ts';
import { Templates } from './templates.ts';

/** Words of mails that staff change. @param mails of the whole program */
export function mailTemplates(mails: readonly MailSpec[]): Capability {
  const templates = new Templates(mails);
  return capability({
    name: 'mail-templates',
    storeEndpoints: templateEndpoints(templates),
    pages: templatePages(templates),
    events: [templateEvents],
    records: [templateRecord, switchRecord],
  });
}
