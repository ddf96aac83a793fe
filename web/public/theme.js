// Runs before the first paint, so that nobody sees the other theme flash by. A file of its own, because inline scripts are forbidden.
(() => {
  let chosen = "";
  try {
    chosen = localStorage.getItem("hindcast.theme") || "";
  } catch {
    // Storage may be forbidden; the system's theme is then as good as any.
  }
  const light = window.matchMedia("(prefers-color-scheme: light)").matches;
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : light ? "light" : "dark";
})();
