import { testPage } from './run-page.ts';

testPage('sell-license-keys', { serve: [] });
