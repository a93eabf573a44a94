import { testPage } from './run-page.ts';

testPage('check-a-server', { serve: [] });
