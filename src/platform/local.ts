/** What every process has of the platform, whether it serves or runs one command. */
export { auditLocal } from './audit/local.ts';
export { mailLocal } from './mail/local.ts';
export { passwordsLocal } from './passwords/local.ts';
export { sessionsLocal } from './sessions/local.ts';
export { webhooksLocal } from './webhooks/local.ts';
