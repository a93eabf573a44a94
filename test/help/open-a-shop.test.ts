import { testPage } from './run-page.ts';

testPage('open-a-shop', { serve: [] });
