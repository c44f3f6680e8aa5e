import { describe, expect, it } from 'vitest';
import type { ToolInfo } from '#protocol/browser.ts';
import type { ToolSet } from '#protocol/tool-sets.ts';
import { nearestTool } from '#companion/toolsets/nearest-tool.ts';
import { serveSets } from '#companion/toolsets/serve-sets.ts';
import { listTools } from '#installer/tools-list.ts';

const built: readonly ToolInfo[] = listTools();

const serve = (sets: readonly ToolSet[]) =>
  serveSets<null>(sets, { tools: () => built, call: () => Promise.reject(new Error('nothing is called here')) });

const known = serve(['default'])
  .tools()
  .map(({ name }) => name);

describe('the tool that a wrong name means', () => {
  it.for([
    ['browser_clik', 'browser_click'],
    ['click', 'browser_click'],
    ['Browser_Snapshot', 'browser_snapshot'],
    ['browserNavigate', 'browser_navigate'],
    ['mcp__browser__browser_type', 'browser_type'],
    ['screenshot', 'browser_take_screenshot'],
    // chrome-devtools-mcp
    ['take_snapshot', 'browser_snapshot'],
    ['fill', 'browser_type'],
    ['fill_form', 'browser_fill_form'],
    ['type_text', 'browser_type'],
    ['upload_file', 'browser_file_upload'],
    ['list_pages', 'browser_tabs'],
    ['new_page', 'browser_tabs'],
    ['select_page', 'browser_tabs'],
    ['close_page', 'browser_close'],
    ['navigate_page', 'browser_navigate'],
    ['resize_page', 'browser_resize'],
    ['evaluate_script', 'browser_evaluate'],
    ['get_console_message', 'browser_console_messages'],
    ['list_network_requests', 'browser_network_requests'],
    ['get_network_request', 'browser_network_request'],
    ['get_css_styles', 'browser_evaluate'],
    // playwright-mcp
    ['browser_mouse_click_xy', 'browser_click'],
    ['browser_mouse_move_xy', 'browser_hover'],
    ['browser_mouse_drag_xy', 'browser_drag'],
    ['browser_mouse_wheel', 'browser_scroll'],
    ['browser_verify_text_visible', 'browser_find'],
    ['browser_verify_element_visible', 'browser_snapshot'],
    ['browser_run_code_unsafe', 'browser_evaluate'],
    ['browser_tab_list', 'browser_tabs'],
    ['browser_wait', 'browser_wait_for'],
    ['browser_press', 'browser_press_key'],
    ['browser_screen_capture', 'browser_take_screenshot'],
    ['browser_go_back', 'browser_navigate_back'],
    // mcp-chrome and Claude in Chrome
    ['get_windows_and_tabs', 'browser_tabs'],
    ['chrome_get_web_content', 'browser_read'],
    ['chrome_fill_or_select', 'browser_fill_form'],
    ['get_page_text', 'browser_read'],
    ['read_page', 'browser_snapshot'],
    ['form_input', 'browser_type'],
    ['javascript_tool', 'browser_evaluate'],
    // Such names say nothing that is like a tool, or only by their letters.
    ['browser_list', null],
    ['browser_resume', null],
    ['take_heapsnapshot', null],
    ['browser_fly', null],
    ['__proto__', null],
    ['', null],
    ['x'.repeat(100_000), null],
  ] as const)('%s is nearest to %s', ([given, nearest]) => {
    expect(nearestTool(given, known)).toBe(nearest);
  });

  it('is named as the client knows it', () => {
    expect(serve(['chrome']).unknownTool('browser_snapshot').message).toContain('chrome_read_page is nearest to it.');
    expect(serve(['chrome']).unknownTool('take_screenshot').message).toContain('chrome_screenshot is nearest to it.');
    expect(serve(['chrome']).unknownTool('chrome_clik').message).toMatch(/chrome_click_element is nearest to it\.$/);
  });

  it('is said to be in another set, with how that is added', () => {
    const { message } = serve(['default']).unknownTool('browser_cookie_list');

    expect(message).toContain('"browser_cookie_list". browser_cookie_list is in the set "storage"');
    expect(message).toContain('pilotfish mcp --tools default,storage');
    expect(serve(['chrome', 'pdf']).unknownTool('browser_click').message).toContain('pilotfish mcp --tools chrome,pdf,default;');
    expect(serve(['default']).unknownTool('emulate').message).toContain('browser_emulate is in the set "emulation"');
    expect(serve(['default', 'emulation']).unknownTool('emulate').message).toContain('browser_emulate is nearest to it.');
    expect(serve(['default']).unknownTool('chrome_click_element').message).toMatch(
      /browser_click is nearest to it\. chrome_click_element is in the set "chrome"/,
    );
    expect(serve(['default']).unknownTool('browser_fly').message).toMatch(/"browser_fly"\.$/);
  });
});
