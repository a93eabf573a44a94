import { testPage } from './run-page.ts';

testPage('test-an-expiry', { serve: ['--dev'] });
