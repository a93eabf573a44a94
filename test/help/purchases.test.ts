import { testPage } from './run-page.ts';

testPage('purchases', { serve: [] });
