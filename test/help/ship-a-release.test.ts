import { testPage } from './run-page.ts';

testPage('ship-a-release', { serve: [] });
