//! Turns the `.proto` files into Rust, without a `protoc` on the machine.

use std::path::PathBuf;

use prost::Message as _;

const FILES: [&str; 3] =
    ["aphid/v1/peers.proto", "aphid/v1/cluster.proto", "aphid/v1/analysis.proto"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in FILES {
        println!("cargo::rerun-if-changed={file}");
    }
    let descriptors = protox::compile(FILES, ["."])?;
    // Server reflection hands these out.
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    // Batches of entries are copied to many workers.
    tonic_prost_build::configure().bytes(".aphid.v1.Hearsay").compile_fds(descriptors)?;
    Ok(())
}
