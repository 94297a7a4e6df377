// Tells the page that something moved: parts with hx-trigger="live from:body" then ask for what they show.
(() => {
  let wait = 500;
  const tell = (detail) => document.body.dispatchEvent(new CustomEvent("live", { detail }));
  const open = () => {
    const where = new URL(document.body.dataset.live, location.href);
    where.protocol = where.protocol.replace("http", "ws");
    const socket = new WebSocket(where);
    socket.onopen = () => {
      wait = 500;
      tell({ instances: {} });  // what moved since the page was made, or while the line was down, nobody told it
    };
    socket.onmessage = (event) => {
      if (document.visibilityState === "hidden") { missed = true; return; }
      tell(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (event.code === 4403) return;  // who may not look is not let in later
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 15000);
    };
  };
  let missed = false;
  document.addEventListener("visibilitychange", () => {
    if (missed && document.visibilityState === "visible") {
      missed = false;
      tell({ instances: {} });
    }
  });
  open();
})();
