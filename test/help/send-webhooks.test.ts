import { freePort } from '../support/command-blocks.ts';
import { testPage } from './run-page.ts';

testPage('send-webhooks', { serve: [], instead: async () => ({ '9099': String(await freePort()) }) });
